import { noQuery } from '../../../../lib/fields/no-query.ts'
import { getOperation } from '../../../../lib/operations/repository.ts'
import { operation, operationPath } from '../../../../lib/operations/schema.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import type { Api } from '../api.ts'

export function operationsGet(app: Api): void {
  app.route({
    method: 'GET',
    url: '/operations/:id',
    schema: {
      operationId: 'operations_get',
      summary: 'Get an operation',
      description: [
        'Tells how far an operation is that an answer 202 pointed to: queued, running, succeeded or failed,',
        'and why it failed. Use it to wait for the outcome: ask again after a second or two until the status',
        'is succeeded or failed. It does not give the result; read the resource that it names.',
      ].join(' '),
      tags: ['operations'],
      params: operationPath,
      querystring: noQuery,
      response: { 200: recordOf(operation) },
    },
    config: {
      scopes: ['operations:read'],
      permission: 'operations:read',
      mcp: {
        resource: {
          uri: 'kobana://inbox/operations/{id}',
          name: 'operation',
          title: 'An operation',
          complete: {
            id: {
              tool: 'operations_list',
              arguments: { limit: 100 },
              labels: ['kind', 'status', 'resource.id'],
            },
          },
        },
      },
    },
    handler: async request => ({
      data: await request.transact(trx => getOperation(trx, request.tenant, request.params.id)),
    }),
  })
}
