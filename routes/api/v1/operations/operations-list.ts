import { listOperations } from '../../../../lib/operations/repository.ts'
import { operation, operationsQuery } from '../../../../lib/operations/schema.ts'
import { pageOf } from '../../../../lib/paging/schema.ts'
import type { Api } from '../api.ts'

export function operationsList(app: Api): void {
  app.route({
    method: 'GET',
    url: '/operations',
    schema: {
      operationId: 'operations_list',
      summary: 'List operations',
      description: [
        'Lists the work that goes on, or went on, in the background of the workspace, newest first. Use it to',
        'see what is still running, what failed, or with email_id what was done with an e-mail; for one',
        'operation whose id you have, use operations_get. While meta.next_cursor is not null there are more.',
      ].join(' '),
      tags: ['operations'],
      querystring: operationsQuery,
      response: { 200: pageOf(operation) },
    },
    config: { scopes: ['operations:read'], permission: 'operations:read', mcp: true },
    handler: request => request.transact(trx => listOperations(trx, request.tenant, request.query)),
  })
}
