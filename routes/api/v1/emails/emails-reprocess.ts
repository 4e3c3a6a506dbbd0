import type { Transaction } from 'kysely'
import type { Tenant } from '../../../../lib/database/database.ts'
import type { Tables } from '../../../../lib/database/tables.ts'
import { lockEmail } from '../../../../lib/emails/repository.ts'
import { resetEmail } from '../../../../lib/emails/reset-email.ts'
import { emailPath } from '../../../../lib/emails/schema.ts'
import { noQuery } from '../../../../lib/fields/no-query.ts'
import { editHeaders } from '../../../../lib/fields/request-headers.ts'
import { createOperation, findUnfinishedOperation } from '../../../../lib/operations/repository.ts'
import { operation } from '../../../../lib/operations/schema.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import type { Api } from '../api.ts'

export function emailsReprocess(app: Api): void {
  app.route({
    method: 'POST',
    url: '/emails/:id/reprocess',
    schema: {
      operationId: 'emails_reprocess',
      summary: 'Process an e-mail again',
      description: [
        'Reads an e-mail anew from the message as it arrived, as if it had just arrived. Use it after a',
        'failure, or when the allowed senders of its inbox have changed. It answers at once with an operation;',
        'operations_get tells when it is done. While the e-mail is being processed anyway, nothing more is',
        'begun and the answer is the operation that is under way. Labels and read mark stay; what was extracted',
        'is replaced, and the rules are applied again, which may add labels. Webhooks are told again.',
      ].join(' '),
      tags: ['emails'],
      params: emailPath,
      querystring: noQuery,
      headers: editHeaders,
      response: { 202: recordOf(operation) },
    },
    config: {
      scopes: ['emails:write'],
      permission: 'emails:write',
      mcp: {
        destructive: true,
        preview: 'emails_get',
        question:
          'Process the e-mail {data.subject} from {data.from.address:whole}, received {data.received_at:date}, again? Rules and webhooks run again for it. It is now {data.status}.',
      },
    },
    handler: async (request, reply) => {
      const { id } = request.params
      const ifMatch = request.headers['if-match']
      const data = await request.transact(async trx => {
        // The lock makes a second caller wait, and then find the operation of the first.
        await lockEmail(trx, request.tenant, { id, ifMatch })
        const unfinished = await findUnfinishedOperation(trx, request.tenant, id)
        return unfinished ?? (await reprocess(trx, request.tenant, { id, createdBy: request.principal.id }))
      })
      reply.code(202).header('location', `${app.prefix}/operations/${data.id}`)
      return { data }
    },
  })

  async function reprocess(
    trx: Transaction<Tables>,
    tenant: Tenant,
    { id, createdBy }: { id: string; createdBy: string },
  ) {
    await resetEmail(trx, tenant, id)
    const kind = 'email.process'
    const begun = await createOperation(trx, tenant, { kind, emailId: id, createdBy })
    await app.jobs.enqueue(trx, kind, { emailId: id, operationId: begun.id, ...tenant })
    return begun
  }
}
