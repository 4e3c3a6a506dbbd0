import { replaceAllowedSenders } from '../../../../lib/allowed-senders/repository.ts'
import { allowedSendersPath, replacedSenders, senderRules } from '../../../../lib/allowed-senders/schema.ts'
import { noQuery } from '../../../../lib/fields/no-query.ts'
import { editHeaders } from '../../../../lib/fields/request-headers.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { toEtag } from '../../../../lib/versions/etag.ts'
import type { Api } from '../api.ts'

export function allowedSendersReplace(app: Api): void {
  app.route({
    method: 'PUT',
    url: '/inboxes/:inbox_id/allowed-senders',
    schema: {
      operationId: 'allowed_senders_replace',
      summary: "Replace an inbox's allowed senders",
      description: [
        'Makes the list of who may send to an inbox exactly the given one: whoever is not in it is removed. To',
        'add or remove single senders use allowed_senders_add and allowed_senders_remove. It does not change the',
        'sender_policy, without which the list has no effect.',
      ].join(' '),
      tags: ['allowed senders'],
      params: allowedSendersPath,
      querystring: noQuery,
      headers: editHeaders,
      body: replacedSenders,
      response: { 200: recordOf(senderRules) },
    },
    config: {
      scopes: ['inboxes:write'],
      permission: 'inboxes:write',
      mcp: {
        destructive: true,
        preview: { tool: 'inboxes_get', arguments: { id: 'inbox_id' } },
        question:
          'Let only {arguments.patterns:whole} send to the inbox {data.name} at {data.address:whole}, in place of everybody on its list now?',
      },
    },
    handler: async (request, reply) => {
      const target = { id: request.params.inbox_id, ifMatch: request.headers['if-match'] }
      const data = await request.transact(trx =>
        replaceAllowedSenders(trx, request.tenant, { ...target, patterns: request.body.patterns }),
      )
      reply.header('etag', toEtag(data.version))
      return { data }
    },
  })
}
