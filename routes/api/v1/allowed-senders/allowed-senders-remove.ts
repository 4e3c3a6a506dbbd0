import { removeAllowedSender } from '../../../../lib/allowed-senders/repository.ts'
import { allowedSendersPath, removedSender, senderRules } from '../../../../lib/allowed-senders/schema.ts'
import { editHeaders } from '../../../../lib/fields/request-headers.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { toEtag } from '../../../../lib/versions/etag.ts'
import type { Api } from '../api.ts'

export function allowedSendersRemove(app: Api): void {
  app.route({
    method: 'DELETE',
    url: '/inboxes/:inbox_id/allowed-senders',
    schema: {
      operationId: 'allowed_senders_remove',
      summary: 'Remove an allowed sender',
      description: [
        'Removes one address or one domain from those that may send to an inbox. An address is still allowed while',
        'its domain is on the list. E-mails that are there already stay. It fails with not_found when the list',
        'does not have exactly this pattern.',
      ].join(' '),
      tags: ['allowed senders'],
      params: allowedSendersPath,
      querystring: removedSender,
      headers: editHeaders,
      response: { 200: recordOf(senderRules) },
    },
    config: {
      scopes: ['inboxes:write'],
      permission: 'inboxes:write',
      mcp: {
        destructive: true,
        preview: { tool: 'inboxes_get', arguments: { id: 'inbox_id' } },
        question:
          'No longer let {arguments.pattern:whole} send to the inbox {data.name} at {data.address:whole}?',
      },
    },
    handler: async (request, reply) => {
      const target = { id: request.params.inbox_id, ifMatch: request.headers['if-match'] }
      const data = await request.transact(trx =>
        removeAllowedSender(trx, request.tenant, { ...target, pattern: request.query.pattern }),
      )
      reply.header('etag', toEtag(data.version))
      return { data }
    },
  })
}
