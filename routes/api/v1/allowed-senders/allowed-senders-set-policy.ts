import { setSenderPolicy } from '../../../../lib/allowed-senders/repository.ts'
import { allowedSendersPath, senderPolicy, senderRules } from '../../../../lib/allowed-senders/schema.ts'
import { noQuery } from '../../../../lib/fields/no-query.ts'
import { editHeaders } from '../../../../lib/fields/request-headers.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { toEtag } from '../../../../lib/versions/etag.ts'
import type { Api } from '../api.ts'

export function allowedSendersSetPolicy(app: Api): void {
  app.route({
    method: 'PUT',
    url: '/inboxes/:inbox_id/allowed-senders/policy',
    schema: {
      operationId: 'allowed_senders_set_policy',
      summary: 'Decide who may send to an inbox',
      description: [
        'Sets whether anyone may send to an inbox or only its allowed senders, whose list stays as it is. With',
        'allowlist, mail from others is rejected from then on, and all mail while the list is empty: fill it first',
        'with allowed_senders_add.',
      ].join(' '),
      tags: ['allowed senders'],
      params: allowedSendersPath,
      querystring: noQuery,
      headers: editHeaders,
      body: senderPolicy,
      response: { 200: recordOf(senderRules) },
    },
    config: {
      scopes: ['inboxes:write'],
      permission: 'inboxes:write',
      mcp: {
        destructive: true,
        preview: { tool: 'inboxes_get', arguments: { id: 'inbox_id' } },
        question:
          'Change who may send to the inbox {data.name} at {data.address:whole} from {data.sender_policy} to {arguments.policy}?',
      },
    },
    handler: async (request, reply) => {
      const target = { id: request.params.inbox_id, ifMatch: request.headers['if-match'] }
      const data = await request.transact(trx =>
        setSenderPolicy(trx, request.tenant, { ...target, policy: request.body.policy }),
      )
      reply.header('etag', toEtag(data.version))
      return { data }
    },
  })
}
