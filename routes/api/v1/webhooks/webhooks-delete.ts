import { noQuery } from '../../../../lib/fields/no-query.ts'
import { editHeaders } from '../../../../lib/fields/request-headers.ts'
import { nothing } from '../../../../lib/paging/schema.ts'
import { deleteWebhook } from '../../../../lib/webhooks/repository.ts'
import { webhookPath } from '../../../../lib/webhooks/schema.ts'
import type { Api } from '../api.ts'

export function webhooksDelete(app: Api): void {
  app.route({
    method: 'DELETE',
    url: '/webhooks/:id',
    schema: {
      operationId: 'webhooks_delete',
      summary: 'Delete a webhook',
      description: [
        'Deletes a webhook with its deliveries, at once and for good; what was still to be delivered to it is',
        'not. To stop it for a while, use webhooks_update with enabled false instead. It answers with nothing.',
      ].join(' '),
      tags: ['webhooks'],
      params: webhookPath,
      querystring: noQuery,
      headers: editHeaders,
      response: { 204: nothing },
    },
    config: {
      scopes: ['webhooks:write'],
      permission: 'webhooks:write',
      mcp: {
        destructive: true,
        preview: 'webhooks_get',
        question: 'Delete the webhook to {data.url}, with its deliveries?',
      },
    },
    handler: async (request, reply) => {
      const target = { id: request.params.id, ifMatch: request.headers['if-match'] }
      await request.transact(trx => deleteWebhook(trx, request.tenant, target))
      reply.code(204)
      return null
    },
  })
}
