import { noQuery } from '../../../../lib/fields/no-query.ts'
import { editHeaders } from '../../../../lib/fields/request-headers.ts'
import { updateMember } from '../../../../lib/members/repository.ts'
import { member, memberChanges, memberPath } from '../../../../lib/members/schema.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { toEtag } from '../../../../lib/versions/etag.ts'
import type { Api } from '../api.ts'

export function membersUpdate(app: Api): void {
  app.route({
    method: 'PATCH',
    url: '/members/:user_id',
    schema: {
      operationId: 'members_update',
      summary: "Change a person's role",
      description: [
        'Gives a person of the workspace another role there and answers with the person as they are then. Roles in',
        'other workspaces stay. It takes effect at once. The only admin cannot become anything else: that fails',
        'with conflict. It invites, disables and removes nobody.',
      ].join(' '),
      tags: ['members'],
      params: memberPath,
      querystring: noQuery,
      headers: editHeaders,
      body: memberChanges,
      response: { 200: recordOf(member) },
    },
    config: {
      scopes: ['members:write'],
      permission: 'members:write',
      mcp: {
        destructive: true,
        idempotent: true,
        preview: 'members_get',
        question: 'Change the role of {data.name}, {data.email:whole}, from {data.role} to {arguments.role}?',
      },
    },
    handler: async (request, reply) => {
      const { user_id: id } = request.params
      const { principal: actor, body } = request
      const change = { id, ifMatch: request.headers['if-match'], role: body.role, actor }
      // Not earlier: whoever asks before it is committed is told, and would remember, the role of before.
      request.afterCommit(() => app.forgetPrincipal(id))
      const data = await request.transact(trx => updateMember(trx, request.tenant, change))
      reply.header('etag', toEtag(data.version))
      return { data }
    },
  })
}
