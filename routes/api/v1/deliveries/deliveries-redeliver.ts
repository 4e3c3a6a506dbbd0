import { noQuery } from '../../../../lib/fields/no-query.ts'
import { createHeaders } from '../../../../lib/fields/request-headers.ts'
import { operation } from '../../../../lib/operations/schema.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { deliveryPath } from '../../../../lib/webhooks/delivery-schema.ts'
import { redeliver } from '../../../../lib/webhooks/redeliver.ts'
import type { Api } from '../api.ts'

export function deliveriesRedeliver(app: Api): void {
  app.route({
    method: 'POST',
    url: '/deliveries/:id/redeliver',
    schema: {
      operationId: 'deliveries_redeliver',
      summary: 'Deliver an event again',
      description: [
        'Sends the event of a delivery once more, at once, whether the delivery is dead, waits or succeeded. It',
        'answers at once with an operation, which ends with this one attempt; operations_get tells how it came',
        'out and why. The receiver gets the same webhook-id as before. It fails with conflict while the webhook',
        'is disabled; enable that with webhooks_update first.',
      ].join(' '),
      tags: ['deliveries'],
      params: deliveryPath,
      querystring: noQuery,
      headers: createHeaders,
      response: { 202: recordOf(operation) },
    },
    config: {
      scopes: ['webhooks:write'],
      permission: 'webhooks:write',
      mcp: {
        destructive: true,
        preview: 'deliveries_get',
        question:
          'Send {data.event_type} of {data.created_at:date} to {data.webhook_url:host} again, at {data.webhook_url}?',
      },
    },
    handler: async (request, reply) => {
      const { id } = request.params
      const createdBy = request.principal.id
      const data = await request.transact(trx => redeliver(trx, request.tenant, { id, createdBy }))
      reply.code(202).header('location', `${app.prefix}/operations/${data.id}`)
      return { data }
    },
  })
}
