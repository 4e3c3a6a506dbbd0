import { noQuery } from '../../../../lib/fields/no-query.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { getRule } from '../../../../lib/rules/repository.ts'
import { rule, rulePath } from '../../../../lib/rules/schema.ts'
import { toEtag } from '../../../../lib/versions/etag.ts'
import type { Api } from '../api.ts'

export function rulesGet(app: Api): void {
  app.route({
    method: 'GET',
    url: '/rules/:id',
    schema: {
      operationId: 'rules_get',
      summary: 'Get a rule',
      description: [
        'Gives one rule: its conditions, what it does to e-mails that match, whether the worker applies it, in',
        'which order, how often it matched, and its version. By your own key, use rules_list with key.',
      ].join(' '),
      tags: ['rules'],
      params: rulePath,
      querystring: noQuery,
      response: { 200: recordOf(rule) },
    },
    config: {
      scopes: ['rules:read'],
      permission: 'rules:read',
      mcp: {
        resource: {
          uri: 'kobana://inbox/rules/{id}',
          name: 'rule',
          title: 'A rule',
          complete: { id: { tool: 'rules_list', arguments: { limit: 100 }, labels: ['key', 'name'] } },
        },
      },
    },
    handler: async (request, reply) => {
      const data = await request.transact(trx => getRule(trx, request.tenant, request.params.id))
      reply.header('etag', toEtag(data.version))
      return { data }
    },
  })
}
