import { noQuery } from '../../../../lib/fields/no-query.ts'
import { editHeaders } from '../../../../lib/fields/request-headers.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { rule, upsertedRule } from '../../../../lib/rules/schema.ts'
import { upsertRule } from '../../../../lib/rules/upsert-rule.ts'
import { toEtag } from '../../../../lib/versions/etag.ts'
import type { Api } from '../api.ts'

export function rulesUpsert(app: Api): void {
  app.route({
    method: 'PUT',
    url: '/rules',
    schema: {
      operationId: 'rules_upsert',
      summary: 'Create or change a rule by key',
      description: [
        'Makes sure that the workspace has a rule with this key and these members: creates it (201), or changes',
        'the one that exists (200), whose other members stay. The worker applies it to e-mails that it',
        'processes from then on, not to those that are there; for one of these, use emails_reprocess. To see',
        'what a rule would do first, create it with enabled false and use rules_test. Rules only label, mark as',
        'read and notify webhooks; they never delete, answer or forward.',
      ].join(' '),
      tags: ['rules'],
      querystring: noQuery,
      headers: editHeaders,
      body: upsertedRule,
      response: { 200: recordOf(rule), 201: recordOf(rule) },
    },
    config: { scopes: ['rules:write'], permission: 'rules:write', mcp: true },
    handler: async (request, reply) => {
      const ifMatch = request.headers['if-match']
      const { rule: data, created } = await request.transact(trx =>
        upsertRule(trx, request.tenant, { rule: request.body, ifMatch }),
      )
      if (created) reply.code(201).header('location', `${app.prefix}/rules/${data.id}`)
      reply.header('etag', toEtag(data.version))
      return { data }
    },
  })
}
