import { noQuery } from '../../../../lib/fields/no-query.ts'
import { getMember } from '../../../../lib/members/repository.ts'
import { member, memberPath } from '../../../../lib/members/schema.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { toEtag } from '../../../../lib/versions/etag.ts'
import type { Api } from '../api.ts'

export function membersGet(app: Api): void {
  app.route({
    method: 'GET',
    url: '/members/:user_id',
    schema: {
      operationId: 'members_get',
      summary: 'Get a person of the workspace',
      description: [
        'Gives one person who belongs to the workspace: name, e-mail address, role there, whether the account is',
        'disabled, and the version that If-Match takes.',
      ].join(' '),
      tags: ['members'],
      params: memberPath,
      querystring: noQuery,
      response: { 200: recordOf(member) },
    },
    config: {
      scopes: ['members:read'],
      permission: 'members:read',
      // No tool: members_list tells a model as much. It is what a change of role is confirmed by.
      mcp: {
        tool: false,
        resource: {
          uri: 'kobana://inbox/members/{user_id}',
          name: 'member',
          title: 'A person of the workspace',
          complete: {
            user_id: { tool: 'members_list', arguments: { limit: 100 }, labels: ['name', 'email'] },
          },
        },
      },
    },
    handler: async (request, reply) => {
      const data = await request.transact(trx => getMember(trx, request.tenant, request.params.user_id))
      reply.header('etag', toEtag(data.version))
      return { data }
    },
  })
}
