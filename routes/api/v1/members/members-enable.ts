import { noQuery } from '../../../../lib/fields/no-query.ts'
import { editHeaders } from '../../../../lib/fields/request-headers.ts'
import { disablePerson } from '../../../../lib/members/disable-person.ts'
import { member, memberPath } from '../../../../lib/members/schema.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { toEtag } from '../../../../lib/versions/etag.ts'
import type { Api } from '../api.ts'

export function membersEnable(app: Api): void {
  app.route({
    method: 'POST',
    url: '/members/:user_id/enable',
    schema: {
      operationId: 'members_enable',
      summary: "Enable a person's account",
      description: [
        'Enables an account that was disabled: the person can log in with the password that they had, and their API keys',
        'work again. It takes an admin of every workspace of the person.',
      ].join(' '),
      tags: ['members'],
      params: memberPath,
      querystring: noQuery,
      headers: editHeaders,
      response: { 200: recordOf(member) },
    },
    config: { scopes: ['members:write'], permission: 'members:write' },
    handler: async (request, reply) => {
      const { user_id: id } = request.params
      const target = { id, ifMatch: request.headers['if-match'], actor: request.principal, disabled: false }
      const data = await request.transact(trx => disablePerson(trx, request.tenant, target))
      // Not earlier: whoever asks before it is committed would remember the person as they were.
      request.afterCommit(() => app.forgetPrincipal(id))
      reply.header('etag', toEtag(data.version))
      return { data }
    },
  })
}
