import { noQuery } from '../../../../lib/fields/no-query.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { toEtag } from '../../../../lib/versions/etag.ts'
import { getWebhook } from '../../../../lib/webhooks/repository.ts'
import { webhook, webhookPath } from '../../../../lib/webhooks/schema.ts'
import type { Api } from '../api.ts'

export function webhooksGet(app: Api): void {
  app.route({
    method: 'GET',
    url: '/webhooks/:id',
    schema: {
      operationId: 'webhooks_get',
      summary: 'Get a webhook',
      description: [
        'Gives one webhook: where it sends, what it is told, whether it is enabled and, where it was disabled',
        'by itself, why. It gives neither its secret nor its deliveries; deliveries_list with webhook_id gives',
        'the latter.',
      ].join(' '),
      tags: ['webhooks'],
      params: webhookPath,
      querystring: noQuery,
      response: { 200: recordOf(webhook) },
    },
    config: {
      scopes: ['webhooks:read'],
      permission: 'webhooks:read',
      mcp: {
        resource: {
          uri: 'kobana://inbox/webhooks/{id}',
          name: 'webhook',
          title: 'A webhook',
          complete: {
            id: { tool: 'webhooks_list', arguments: { limit: 100 }, labels: ['url', 'description'] },
          },
        },
      },
    },
    handler: async (request, reply) => {
      const data = await request.transact(trx => getWebhook(trx, request.tenant, request.params.id))
      reply.header('etag', toEtag(data.version))
      return { data }
    },
  })
}
