import { updateEmail } from '../../../../lib/emails/repository.ts'
import { email, emailChanges, emailPath } from '../../../../lib/emails/schema.ts'
import { noQuery } from '../../../../lib/fields/no-query.ts'
import { editHeaders } from '../../../../lib/fields/request-headers.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { toEtag } from '../../../../lib/versions/etag.ts'
import type { Api } from '../api.ts'

export function emailsUpdate(app: Api): void {
  app.route({
    method: 'PATCH',
    url: '/emails/:id',
    schema: {
      operationId: 'emails_update',
      summary: 'Label an e-mail or mark it as read',
      description: [
        'Sets the labels of an e-mail, whether it counts as read, or both, and answers with the e-mail as it',
        'is then, without its text. labels replaces the whole list: to add one, read the e-mail, send its',
        "labels and the new one, and give its version as If-Match, so that nobody else's label gets lost.",
        'What the sender wrote cannot be changed.',
      ].join(' '),
      tags: ['emails'],
      params: emailPath,
      querystring: noQuery,
      headers: editHeaders,
      body: emailChanges,
      response: { 200: recordOf(email) },
    },
    config: { scopes: ['emails:write'], permission: 'emails:write', mcp: { idempotent: true } },
    handler: async (request, reply) => {
      const target = { id: request.params.id, ifMatch: request.headers['if-match'] }
      const data = await request.transact(trx =>
        updateEmail(trx, request.tenant, { ...target, changes: request.body }),
      )
      reply.header('etag', toEtag(data.version))
      return { data }
    },
  })
}
