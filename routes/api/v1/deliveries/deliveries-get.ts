import { noQuery } from '../../../../lib/fields/no-query.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { getDelivery } from '../../../../lib/webhooks/deliveries.ts'
import { deliveryPath, deliveryWithAttempts } from '../../../../lib/webhooks/delivery-schema.ts'
import type { Api } from '../api.ts'

export function deliveriesGet(app: Api): void {
  app.route({
    method: 'GET',
    url: '/deliveries/:id',
    schema: {
      operationId: 'deliveries_get',
      summary: 'Get a delivery with its attempts',
      description: [
        'Gives one delivery with every attempt: when it was made, the status and the beginning of the answer,',
        'how long it took, and what went wrong. Use it to find out why a receiver was not told. It does not give',
        'what was sent; the event names the e-mail, which emails_get gives.',
      ].join(' '),
      tags: ['deliveries'],
      params: deliveryPath,
      querystring: noQuery,
      response: { 200: recordOf(deliveryWithAttempts) },
    },
    config: {
      scopes: ['webhooks:read'],
      permission: 'webhooks:read',
      mcp: {
        resource: {
          uri: 'kobana://inbox/deliveries/{id}',
          name: 'delivery',
          title: 'A delivery',
          complete: {
            id: {
              tool: 'deliveries_list',
              arguments: { limit: 100 },
              labels: ['event_type', 'status', 'webhook_url', 'email_id'],
            },
          },
        },
      },
    },
    handler: async request => ({
      data: await request.transact(trx => getDelivery(trx, request.tenant, request.params.id)),
    }),
  })
}
