import { toHolder } from '../../../../lib/api-keys/holder.ts'
import { revokeApiKey } from '../../../../lib/api-keys/repository.ts'
import { apiKeyPath } from '../../../../lib/api-keys/schema.ts'
import { noQuery } from '../../../../lib/fields/no-query.ts'
import { createHeaders } from '../../../../lib/fields/request-headers.ts'
import { nothing } from '../../../../lib/paging/schema.ts'
import type { Api } from '../api.ts'

export function apiKeysRevoke(app: Api): void {
  app.route({
    method: 'DELETE',
    url: '/api-keys/:id',
    schema: {
      operationId: 'api_keys_revoke',
      summary: 'Revoke an API key',
      description: [
        'Ends an API key for good: requests with it are refused at once by the process that answers, and within 30',
        "seconds by others. A person revokes their own keys; an admin with a token that covers members:write, anybody's",
        'in the workspace. It answers with nothing.',
      ].join(' '),
      tags: ['api keys'],
      params: apiKeyPath,
      querystring: noQuery,
      headers: createHeaders,
      response: { 204: nothing },
    },
    config: { scopes: [] },
    handler: async (request, reply) => {
      const target = { holder: toHolder(request.principal, request.tenant), id: request.params.id }
      const hash = await request.transact(trx => revokeApiKey(trx, request.tenant, target))
      // Not earlier: whoever asks before it is committed would remember the key as it was.
      request.afterCommit(() => app.forgetApiKey(hash))
      reply.code(204)
      return null
    },
  })
}
