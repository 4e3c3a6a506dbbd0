import { addAllowedSenders } from '../../../../lib/allowed-senders/repository.ts'
import { addedSenders, allowedSendersPath, senderRules } from '../../../../lib/allowed-senders/schema.ts'
import { noQuery } from '../../../../lib/fields/no-query.ts'
import { editHeaders } from '../../../../lib/fields/request-headers.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { toEtag } from '../../../../lib/versions/etag.ts'
import type { Api } from '../api.ts'

export function allowedSendersAdd(app: Api): void {
  app.route({
    method: 'POST',
    url: '/inboxes/:inbox_id/allowed-senders',
    schema: {
      operationId: 'allowed_senders_add',
      summary: 'Allow senders to an inbox',
      description: [
        'Adds addresses or whole domains to those that may send to an inbox; the rest of the list stays. It has an',
        'effect only while the sender_policy of the inbox is allowlist. The answer says how long the list is, and',
        'not what it holds: allowed_senders_list does. It does not process rejected e-mails again.',
      ].join(' '),
      tags: ['allowed senders'],
      params: allowedSendersPath,
      querystring: noQuery,
      headers: editHeaders,
      body: addedSenders,
      response: { 200: recordOf(senderRules) },
    },
    config: {
      scopes: ['inboxes:write'],
      permission: 'inboxes:write',
      mcp: {
        destructive: true,
        idempotent: true,
        preview: { tool: 'inboxes_get', arguments: { id: 'inbox_id' } },
        question: 'Let {arguments.patterns:whole} send to the inbox {data.name} at {data.address:whole}?',
      },
    },
    handler: async (request, reply) => {
      const target = { id: request.params.inbox_id, ifMatch: request.headers['if-match'] }
      const data = await request.transact(trx =>
        addAllowedSenders(trx, request.tenant, { ...target, patterns: request.body.patterns }),
      )
      reply.header('etag', toEtag(data.version))
      return { data }
    },
  })
}
