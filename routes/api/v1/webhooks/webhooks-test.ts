import { noQuery } from '../../../../lib/fields/no-query.ts'
import { editHeaders } from '../../../../lib/fields/request-headers.ts'
import { operation } from '../../../../lib/operations/schema.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { webhookPath } from '../../../../lib/webhooks/schema.ts'
import { testWebhook } from '../../../../lib/webhooks/test-webhook.ts'
import type { Api } from '../api.ts'

export function webhooksTest(app: Api): void {
  app.route({
    method: 'POST',
    url: '/webhooks/:id/test',
    schema: {
      operationId: 'webhooks_test',
      summary: 'Send a test event to a webhook',
      description: [
        'Sends an event of the type webhook.test to a webhook, once, whatever it subscribes to, also while it is',
        'disabled. It answers at once with an operation; operations_get tells how it came out and, where it',
        "failed, why. The operation's resource is the delivery, whose attempt deliveries_get shows.",
      ].join(' '),
      tags: ['webhooks'],
      params: webhookPath,
      querystring: noQuery,
      headers: editHeaders,
      response: { 202: recordOf(operation) },
    },
    config: {
      scopes: ['webhooks:write'],
      permission: 'webhooks:write',
      mcp: {
        destructive: true,
        preview: 'webhooks_get',
        question: 'Send a test event to {data.url:host}, at {data.url}?',
      },
    },
    handler: async (request, reply) => {
      const target = { id: request.params.id, ifMatch: request.headers['if-match'] }
      const createdBy = request.principal.id
      const data = await request.transact(trx => testWebhook(trx, request.tenant, { ...target, createdBy }))
      reply.code(202).header('location', `${app.prefix}/operations/${data.id}`)
      return { data }
    },
  })
}
