import { noQuery } from '../../../../lib/fields/no-query.ts'
import { editHeaders } from '../../../../lib/fields/request-headers.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { toEtag } from '../../../../lib/versions/etag.ts'
import { updateWebhook } from '../../../../lib/webhooks/repository.ts'
import { webhook, webhookChanges, webhookPath } from '../../../../lib/webhooks/schema.ts'
import type { Api } from '../api.ts'
import { toSettings } from './to-settings.ts'

export function webhooksUpdate(app: Api): void {
  app.route({
    method: 'PATCH',
    url: '/webhooks/:id',
    schema: {
      operationId: 'webhooks_update',
      summary: 'Change a webhook',
      description: [
        'Changes the given members of a webhook, leaves the others, and answers with the webhook as it is then.',
        'A new URL gets what is still to be delivered, too. Use enabled true after the reason for which it was',
        'disabled is mended. It does not change the secret; webhooks_rotate_secret does.',
      ].join(' '),
      tags: ['webhooks'],
      params: webhookPath,
      querystring: noQuery,
      headers: editHeaders,
      body: webhookChanges,
      response: { 200: recordOf(webhook) },
    },
    config: {
      scopes: ['webhooks:write'],
      permission: 'webhooks:write',
      mcp: {
        destructive: true,
        idempotent: true,
        preview: 'webhooks_get',
        question: [
          'Change the webhook that sends to {data.url}? Host: {arguments.url:host}; URL: {arguments.url}; types: {arguments.event_types};',
          'enabled: {arguments.enabled}; description: {arguments.description}. What is (none) stays as it is.',
        ].join(' '),
      },
    },
    handler: async (request, reply) => {
      const target = { id: request.params.id, ifMatch: request.headers['if-match'] }
      const settings = toSettings(app)
      const data = await request.transact(trx =>
        updateWebhook(trx, request.tenant, { ...target, changes: request.body, settings }),
      )
      reply.header('etag', toEtag(data.version))
      return { data }
    },
  })
}
