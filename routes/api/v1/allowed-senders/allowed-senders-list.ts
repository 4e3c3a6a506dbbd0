import { listAllowedSenders } from '../../../../lib/allowed-senders/repository.ts'
import {
  allowedSender,
  allowedSendersPath,
  allowedSendersQuery,
} from '../../../../lib/allowed-senders/schema.ts'
import { pageOf } from '../../../../lib/paging/schema.ts'
import { toEtag } from '../../../../lib/versions/etag.ts'
import type { Api } from '../api.ts'

export function allowedSendersList(app: Api): void {
  app.route({
    method: 'GET',
    url: '/inboxes/:inbox_id/allowed-senders',
    schema: {
      operationId: 'allowed_senders_list',
      summary: "List an inbox's allowed senders",
      description: [
        'Lists who is allowed to send to an inbox: addresses and whole domains, in alphabetical order. The list',
        'has an effect only while the sender_policy of the inbox, which inboxes_get gives, is allowlist. While',
        'meta.next_cursor is not null there are more.',
      ].join(' '),
      tags: ['allowed senders'],
      params: allowedSendersPath,
      querystring: allowedSendersQuery,
      response: { 200: pageOf(allowedSender) },
    },
    config: { scopes: ['inboxes:read'], permission: 'inboxes:read', mcp: true },
    handler: async (request, reply) => {
      const query = { inboxId: request.params.inbox_id, ...request.query }
      const { version, ...page } = await request.transact(trx =>
        listAllowedSenders(trx, request.tenant, query),
      )
      reply.header('etag', toEtag(version))
      return page
    },
  })
}
