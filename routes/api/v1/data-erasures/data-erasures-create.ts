import { noQuery } from '../../../../lib/fields/no-query.ts'
import { createHeaders } from '../../../../lib/fields/request-headers.ts'
import { operation } from '../../../../lib/operations/schema.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { beginErasure } from '../../../../lib/personal-data/erasures.ts'
import { subjectBody } from '../../../../lib/personal-data/schema.ts'
import { toSubject } from '../../../../lib/personal-data/subject.ts'
import type { Api } from '../api.ts'

export function dataErasuresCreate(app: Api): void {
  app.route({
    method: 'POST',
    url: '/data-erasures',
    schema: {
      operationId: 'data_erasures_create',
      summary: 'Erase what came from somebody',
      description: [
        'Deletes for good, at once, every e-mail from an address, or every e-mail that a CPF or CNPJ was extracted',
        'from, whoever sent it, with all that was made of it; deleted ones, too. Count them with',
        'data_erasures_preview first: nothing brings them back. It answers with an operation, whose resource is',
        'the erasure. While the same is being erased, nothing more is begun and the answer is that operation. It',
        'does not touch members, allowed senders, rules or the audit trail.',
      ].join(' '),
      tags: ['personal data'],
      querystring: noQuery,
      headers: createHeaders,
      body: subjectBody,
      response: { 202: recordOf(operation) },
    },
    // Mail goes in bulk, as with an inbox, and so by the same right, which only admins have.
    config: { scopes: ['emails:write', 'inboxes:write'], permission: 'inboxes:write' },
    handler: async (request, reply) => {
      const begin = { subject: toSubject(request.body), createdBy: request.principal.id }
      const data = await request.transact(trx => beginErasure(trx, request.tenant, begin))
      reply.code(202).header('location', `${app.prefix}/operations/${data.id}`)
      return { data }
    },
  })
}
