import { pageOf } from '../../../../lib/paging/schema.ts'
import { listDeliveries } from '../../../../lib/webhooks/deliveries.ts'
import { deliveriesQuery, delivery } from '../../../../lib/webhooks/delivery-schema.ts'
import type { Api } from '../api.ts'

export function deliveriesList(app: Api): void {
  app.route({
    method: 'GET',
    url: '/deliveries',
    schema: {
      operationId: 'deliveries_list',
      summary: 'List deliveries',
      description: [
        'Lists deliveries of events to webhooks, newest first: whether each succeeded, waits for its next attempt',
        'or is dead, and why. Use it to find out what a receiver missed (status dead), or with email_id whether',
        'it was told of an e-mail. It gives neither the attempts, which deliveries_get does, nor what was sent.',
      ].join(' '),
      tags: ['deliveries'],
      querystring: deliveriesQuery,
      response: { 200: pageOf(delivery) },
    },
    config: { scopes: ['webhooks:read'], permission: 'webhooks:read', mcp: true },
    handler: request => request.transact(trx => listDeliveries(trx, request.tenant, request.query)),
  })
}
