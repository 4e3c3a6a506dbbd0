import { listMembers } from '../../../../lib/members/repository.ts'
import { member, membersQuery } from '../../../../lib/members/schema.ts'
import { pageOf } from '../../../../lib/paging/schema.ts'
import type { Api } from '../api.ts'

export function membersList(app: Api): void {
  app.route({
    method: 'GET',
    url: '/members',
    schema: {
      operationId: 'members_list',
      summary: 'List the people of the workspace',
      description: [
        'Lists the people who belong to the workspace, with name, e-mail address, role there and whether their',
        'account is disabled. Use it to find whom an id in other answers stands for, or with role to find the',
        'admins. It does not tell what each role allows; me_get does for your own. While meta.next_cursor is not',
        'null there are more.',
      ].join(' '),
      tags: ['members'],
      querystring: membersQuery,
      response: { 200: pageOf(member) },
    },
    config: { scopes: ['members:read'], permission: 'members:read', mcp: true },
    handler: request => request.transact(trx => listMembers(trx, request.tenant, request.query)),
  })
}
