import { pageOf } from '../../../../lib/paging/schema.ts'
import { listRules } from '../../../../lib/rules/repository.ts'
import { rule, rulesQuery } from '../../../../lib/rules/schema.ts'
import type { Api } from '../api.ts'

export function rulesList(app: Api): void {
  app.route({
    method: 'GET',
    url: '/rules',
    schema: {
      operationId: 'rules_list',
      summary: 'List rules',
      description: [
        'Lists the rules of the workspace in the order in which the worker tries them on each e-mail, with',
        'their conditions, their actions and how often they matched. With key it looks one up. It does not',
        'tell which e-mails a rule matched; rules_test tries one on an e-mail. While meta.next_cursor is not',
        'null there are more.',
      ].join(' '),
      tags: ['rules'],
      querystring: rulesQuery,
      response: { 200: pageOf(rule) },
    },
    config: {
      scopes: ['rules:read'],
      permission: 'rules:read',
      mcp: { resource: { uri: 'kobana://inbox/rules', name: 'rules', title: 'The rules' } },
    },
    handler: request => request.transact(trx => listRules(trx, request.tenant, request.query)),
  })
}
