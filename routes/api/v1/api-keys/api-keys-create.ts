import { toHolder } from '../../../../lib/api-keys/holder.ts'
import { checkKeyScopes, createApiKey } from '../../../../lib/api-keys/repository.ts'
import { apiKeyWithSecret, newApiKey } from '../../../../lib/api-keys/schema.ts'
import { noQuery } from '../../../../lib/fields/no-query.ts'
import { createHeaders } from '../../../../lib/fields/request-headers.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import type { Api } from '../api.ts'

export function apiKeysCreate(app: Api): void {
  app.route({
    method: 'POST',
    url: '/api-keys',
    schema: {
      operationId: 'api_keys_create',
      summary: 'Create an API key',
      description: [
        'Creates a key with which a program acts as the caller over REST, in this workspace only, within the given',
        'scopes and never beyond what the role allows at that time. It answers with the key, which is shown this',
        'once. It is no key for MCP. A person has at most 50 keys in a workspace.',
      ].join(' '),
      tags: ['api keys'],
      querystring: noQuery,
      headers: createHeaders,
      body: newApiKey,
      response: { 201: recordOf(apiKeyWithSecret) },
    },
    config: { scopes: [] },
    // Before a kept answer is given again to a token that covers less than the first.
    preHandler: async ({ principal, tenant, body }) =>
      checkKeyScopes(toHolder(principal, tenant), body.scopes),
    handler: async (request, reply) => {
      const holder = toHolder(request.principal, request.tenant)
      const data = await request.transact(trx =>
        createApiKey(trx, request.tenant, { holder, key: request.body }),
      )
      reply.code(201).header('location', `${app.prefix}/api-keys/${data.id}`)
      return { data }
    },
  })
}
