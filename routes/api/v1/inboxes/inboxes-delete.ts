import { noQuery } from '../../../../lib/fields/no-query.ts'
import { editHeaders } from '../../../../lib/fields/request-headers.ts'
import { deleteInbox } from '../../../../lib/inboxes/repository.ts'
import { inboxPath } from '../../../../lib/inboxes/schema.ts'
import { nothing } from '../../../../lib/paging/schema.ts'
import type { Api } from '../api.ts'

export function inboxesDelete(app: Api): void {
  app.route({
    method: 'DELETE',
    url: '/inboxes/:id',
    schema: {
      operationId: 'inboxes_delete',
      summary: 'Delete an inbox',
      description: [
        'Deletes an inbox with all its e-mails, at once and for good; mail to its address is refused from',
        'then on, and the address is free for a new inbox. To stop mail for a while, use inboxes_update with',
        'status paused instead. It answers with nothing.',
      ].join(' '),
      tags: ['inboxes'],
      params: inboxPath,
      querystring: noQuery,
      headers: editHeaders,
      response: { 204: nothing },
    },
    config: {
      scopes: ['inboxes:write'],
      permission: 'inboxes:write',
      mcp: {
        destructive: true,
        preview: 'inboxes_get',
        question:
          'Delete the inbox {data.name} at {data.address:whole} with all its e-mails? Mail to it is refused from then on. This cannot be undone.',
      },
    },
    handler: async (request, reply) => {
      const target = { id: request.params.id, ifMatch: request.headers['if-match'] }
      await request.transact(trx => deleteInbox(trx, request.tenant, target))
      reply.code(204)
      return null
    },
  })
}
