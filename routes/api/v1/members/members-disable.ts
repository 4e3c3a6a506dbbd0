import { noQuery } from '../../../../lib/fields/no-query.ts'
import { editHeaders } from '../../../../lib/fields/request-headers.ts'
import { disablePerson } from '../../../../lib/members/disable-person.ts'
import { member, memberPath } from '../../../../lib/members/schema.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { toEtag } from '../../../../lib/versions/etag.ts'
import type { Api } from '../api.ts'

export function membersDisable(app: Api): void {
  app.route({
    method: 'POST',
    url: '/members/:user_id/disable',
    schema: {
      operationId: 'members_disable',
      summary: "Disable a person's account",
      description: [
        "Disables a person's account in the whole organization: they can log in no more, their tokens and API keys are",
        'refused at once by the process that answers and within 30 seconds by others, and links to set a password end.',
        'Memberships and what they made stay. It takes an admin of every workspace of the person, and is never for',
        "one's own account.",
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
      const target = { id, ifMatch: request.headers['if-match'], actor: request.principal, disabled: true }
      const data = await request.transact(trx => disablePerson(trx, request.tenant, target))
      // Not earlier: whoever asks before it is committed would remember the person as they were.
      request.afterCommit(() => app.forgetPrincipal(id))
      reply.header('etag', toEtag(data.version))
      return { data }
    },
  })
}
