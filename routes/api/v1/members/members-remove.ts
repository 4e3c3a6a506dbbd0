import { noQuery } from '../../../../lib/fields/no-query.ts'
import { editHeaders } from '../../../../lib/fields/request-headers.ts'
import { removeMember } from '../../../../lib/members/remove-member.ts'
import { memberPath } from '../../../../lib/members/schema.ts'
import { nothing } from '../../../../lib/paging/schema.ts'
import type { Api } from '../api.ts'

export function membersRemove(app: Api): void {
  app.route({
    method: 'DELETE',
    url: '/members/:user_id',
    schema: {
      operationId: 'members_remove',
      summary: 'Remove a person from the workspace',
      description: [
        'Takes a person out of this workspace; their API keys in it end. Other workspaces stay, and so does the account,',
        'also without any workspace. The only admin cannot be removed: that fails with conflict. It answers with',
        'nothing.',
      ].join(' '),
      tags: ['members'],
      params: memberPath,
      querystring: noQuery,
      headers: editHeaders,
      response: { 204: nothing },
    },
    config: { scopes: ['members:write'], permission: 'members:write' },
    handler: async (request, reply) => {
      const { user_id: id } = request.params
      const target = { id, ifMatch: request.headers['if-match'], actor: request.principal }
      await request.transact(trx => removeMember(trx, request.tenant, target))
      request.afterCommit(() => app.forgetPrincipal(id))
      reply.code(204)
      return null
    },
  })
}
