import { noQuery } from '../../../../lib/fields/no-query.ts'
import { createHeaders } from '../../../../lib/fields/request-headers.ts'
import { inviteMember } from '../../../../lib/members/invite-member.ts'
import { invitedMember, newMember } from '../../../../lib/members/schema.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { toEtag } from '../../../../lib/versions/etag.ts'
import type { Api } from '../api.ts'
import { toLinkDelivery } from './to-link-delivery.ts'

export function membersInvite(app: Api): void {
  app.route({
    method: 'POST',
    url: '/members',
    schema: {
      operationId: 'members_invite',
      summary: 'Invite a person to the workspace',
      description: [
        'Brings a person into the workspace in a role. Somebody new gets an account and a link to set a password,',
        'good for 72 hours: by mail where a relay is configured, else in the answer, this once, to be handed on.',
        'Somebody who belongs to the organization already is a member at once, without a link. An address that',
        'cannot be invited is a conflict. Where people log in at another server nobody gets a link.',
      ].join(' '),
      tags: ['members'],
      querystring: noQuery,
      headers: createHeaders,
      body: newMember,
      response: { 201: recordOf(invitedMember) },
    },
    config: { scopes: ['members:write'], permission: 'members:write' },
    handler: async (request, reply) => {
      const { body: person, principal, tenant } = request
      const delivery = toLinkDelivery(app.config)
      const data = await request.transact(trx =>
        inviteMember(trx, tenant, { person, actor: principal, delivery }),
      )
      request.afterCommit(() => app.forgetPrincipal(data.id))
      reply.code(201).header('location', `${app.prefix}/members/${data.id}`)
      reply.header('etag', toEtag(data.version))
      return { data }
    },
  })
}
