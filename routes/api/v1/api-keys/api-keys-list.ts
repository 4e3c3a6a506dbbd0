import { toHolder } from '../../../../lib/api-keys/holder.ts'
import { listApiKeys } from '../../../../lib/api-keys/repository.ts'
import { apiKey, apiKeysQuery } from '../../../../lib/api-keys/schema.ts'
import { pageOf } from '../../../../lib/paging/schema.ts'
import type { Api } from '../api.ts'

export function apiKeysList(app: Api): void {
  app.route({
    method: 'GET',
    url: '/api-keys',
    schema: {
      operationId: 'api_keys_list',
      summary: 'List API keys',
      description: [
        "Lists the caller's API keys in this workspace, newest first, with their scopes, expiry and last use; to an",
        'admin with a token that covers members:read, everybody’s. Expired keys are listed, revoked ones are not.',
        'It never shows the keys themselves, only how they begin.',
      ].join(' '),
      tags: ['api keys'],
      querystring: apiKeysQuery,
      response: { 200: pageOf(apiKey) },
    },
    config: { scopes: [] },
    handler: request => {
      const holder = toHolder(request.principal, request.tenant)
      return request.transact(trx => listApiKeys(trx, request.tenant, { holder, query: request.query }))
    },
  })
}
