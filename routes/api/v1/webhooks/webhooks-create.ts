import { noQuery } from '../../../../lib/fields/no-query.ts'
import { createHeaders } from '../../../../lib/fields/request-headers.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { toEtag } from '../../../../lib/versions/etag.ts'
import { createWebhook } from '../../../../lib/webhooks/repository.ts'
import { newWebhook, webhookWithSecret } from '../../../../lib/webhooks/schema.ts'
import type { Api } from '../api.ts'
import { toSettings } from './to-settings.ts'

export function webhooksCreate(app: Api): void {
  app.route({
    method: 'POST',
    url: '/webhooks',
    schema: {
      operationId: 'webhooks_create',
      summary: 'Create a webhook',
      description: [
        'Creates a webhook: from then on events of the given types in this workspace are sent to its URL, and',
        'with them what e-mails say. It answers with the webhook and the secret that its messages are signed',
        'with, which is shown this once. It sends nothing by itself, and nothing about what happened before;',
        'webhooks_test tries it out. A workspace has at most 20 webhooks.',
      ].join(' '),
      tags: ['webhooks'],
      querystring: noQuery,
      headers: createHeaders,
      body: newWebhook,
      response: { 201: recordOf(webhookWithSecret) },
    },
    config: {
      scopes: ['webhooks:write'],
      permission: 'webhooks:write',
      mcp: {
        destructive: true,
        question:
          'Send events of this workspace, of the types {arguments.event_types}, to {arguments.url:host}, at {arguments.url}?',
      },
    },
    handler: async (request, reply) => {
      const settings = toSettings(app)
      const data = await request.transact(trx =>
        createWebhook(trx, request.tenant, { webhook: request.body, settings }),
      )
      reply.code(201).header('location', `${app.prefix}/webhooks/${data.id}`)
      reply.header('etag', toEtag(data.version))
      return { data }
    },
  })
}
