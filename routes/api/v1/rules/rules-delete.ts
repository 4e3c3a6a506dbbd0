import { noQuery } from '../../../../lib/fields/no-query.ts'
import { editHeaders } from '../../../../lib/fields/request-headers.ts'
import { nothing } from '../../../../lib/paging/schema.ts'
import { deleteRule } from '../../../../lib/rules/repository.ts'
import { rulePath } from '../../../../lib/rules/schema.ts'
import type { Api } from '../api.ts'

export function rulesDelete(app: Api): void {
  app.route({
    method: 'DELETE',
    url: '/rules/:id',
    schema: {
      operationId: 'rules_delete',
      summary: 'Delete a rule',
      description: [
        'Deletes a rule for good; its key is free again. What it did to e-mails stays. To stop it for a while,',
        'use rules_upsert with enabled false instead. It answers with nothing.',
      ].join(' '),
      tags: ['rules'],
      params: rulePath,
      querystring: noQuery,
      headers: editHeaders,
      response: { 204: nothing },
    },
    config: {
      scopes: ['rules:write'],
      permission: 'rules:write',
      mcp: {
        destructive: true,
        preview: 'rules_get',
        question:
          'Delete the rule {data.name} with the key {data.key}? It has matched {data.matched_count} e-mails.',
      },
    },
    handler: async (request, reply) => {
      const target = { id: request.params.id, ifMatch: request.headers['if-match'] }
      await request.transact(trx => deleteRule(trx, request.tenant, target))
      reply.code(204)
      return null
    },
  })
}
