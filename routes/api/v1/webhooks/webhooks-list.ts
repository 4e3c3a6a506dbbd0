import { pageOf } from '../../../../lib/paging/schema.ts'
import { listWebhooks } from '../../../../lib/webhooks/repository.ts'
import { webhook, webhooksQuery } from '../../../../lib/webhooks/schema.ts'
import type { Api } from '../api.ts'

export function webhooksList(app: Api): void {
  app.route({
    method: 'GET',
    url: '/webhooks',
    schema: {
      operationId: 'webhooks_list',
      summary: 'List webhooks',
      description: [
        'Lists the webhooks of the workspace, newest first: where each sends, what it is told, whether it is',
        'enabled, and since when it fails. Use it to find the id of a webhook. It gives no secrets, which are',
        'shown once when they are made, and no deliveries; deliveries_list does.',
      ].join(' '),
      tags: ['webhooks'],
      querystring: webhooksQuery,
      response: { 200: pageOf(webhook) },
    },
    config: {
      scopes: ['webhooks:read'],
      permission: 'webhooks:read',
      mcp: { resource: { uri: 'kobana://inbox/webhooks', name: 'webhooks', title: 'The newest webhooks' } },
    },
    handler: request => request.transact(trx => listWebhooks(trx, request.tenant, request.query)),
  })
}
