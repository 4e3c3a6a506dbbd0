import { noQuery } from '../../../../lib/fields/no-query.ts'
import { editHeaders } from '../../../../lib/fields/request-headers.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { toEtag } from '../../../../lib/versions/etag.ts'
import { rotateSecret } from '../../../../lib/webhooks/rotate-secret.ts'
import { rotation, webhookPath, webhookWithSecret } from '../../../../lib/webhooks/schema.ts'
import type { Api } from '../api.ts'

export function webhooksRotateSecret(app: Api): void {
  app.route({
    method: 'POST',
    url: '/webhooks/:id/rotate-secret',
    schema: {
      operationId: 'webhooks_rotate_secret',
      summary: 'Rotate the secret of a webhook',
      description: [
        'Gives a webhook a new secret and answers with it, this once. For overlap_hours messages carry a',
        'signature of the old secret as well, so that the receiver can change over in between; with 0 the old',
        'one is over at once, which is right when it has leaked. A secret from before the old one is over in',
        'any case.',
      ].join(' '),
      tags: ['webhooks'],
      params: webhookPath,
      querystring: noQuery,
      headers: editHeaders,
      body: rotation,
      response: { 200: recordOf(webhookWithSecret) },
    },
    config: {
      scopes: ['webhooks:write'],
      permission: 'webhooks:write',
      mcp: {
        destructive: true,
        preview: 'webhooks_get',
        question: 'Replace the secret of the webhook to {data.url}?',
      },
    },
    handler: async (request, reply) => {
      const target = { id: request.params.id, ifMatch: request.headers['if-match'] }
      const { overlap_hours: overlapHours } = request.body
      const { secretBox } = app
      const data = await request.transact(trx =>
        rotateSecret(trx, request.tenant, { ...target, overlapHours, secretBox }),
      )
      reply.header('etag', toEtag(data.version))
      return { data }
    },
  })
}
