import { noQuery } from '../../../../lib/fields/no-query.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { rulePath, ruleTest, ruleTestBody } from '../../../../lib/rules/schema.ts'
import { testRule } from '../../../../lib/rules/test-rule.ts'
import type { Api } from '../api.ts'

export function rulesTest(app: Api): void {
  app.route({
    method: 'POST',
    url: '/rules/:id/test',
    schema: {
      operationId: 'rules_test',
      summary: 'Try a rule on an e-mail',
      description: [
        'Tells, condition by condition, whether a rule matches an e-mail, and what it would change on it.',
        'Nothing is changed, counted or sent. It works for disabled rules too, and for e-mails that arrived',
        'before the rule. Other rules are not looked at, nor whether one of them would stop this one.',
      ].join(' '),
      tags: ['rules'],
      params: rulePath,
      querystring: noQuery,
      body: ruleTestBody,
      response: { 200: recordOf(ruleTest) },
    },
    config: {
      // It tells what stands in the e-mail, as far as conditions ask for it.
      scopes: ['rules:read', 'emails:read'],
      permission: 'rules:read',
      mcp: { readOnly: true, idempotent: true },
    },
    handler: async request => {
      const wanted = { id: request.params.id, emailId: request.body.email_id }
      return { data: await request.transact(trx => testRule(trx, request.tenant, wanted)) }
    },
  })
}
