import { noQuery } from '../../../../lib/fields/no-query.ts'
import { editHeaders } from '../../../../lib/fields/request-headers.ts'
import { resetPassword } from '../../../../lib/members/reset-password.ts'
import { memberPath, passwordReset } from '../../../../lib/members/schema.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import type { Api } from '../api.ts'
import { toLinkDelivery } from './to-link-delivery.ts'

export function membersResetPassword(app: Api): void {
  app.route({
    method: 'POST',
    url: '/members/:user_id/password-resets',
    schema: {
      operationId: 'members_reset_password',
      summary: 'Give a person a link to set a password',
      description: [
        'Gives a person a new link to set a password, with which earlier ones end: by mail where a relay is configured,',
        'else in the answer, this once, to be handed on. It is good for 24 hours, or 72 where they have had no password',
        'yet. The password that they have holds until then; their logins end now. It takes an admin of every workspace of',
        'the person. Where people log in at another server there is nothing to reset: conflict.',
      ].join(' '),
      tags: ['members'],
      params: memberPath,
      querystring: noQuery,
      headers: editHeaders,
      response: { 200: recordOf(passwordReset) },
    },
    config: { scopes: ['members:write'], permission: 'members:write' },
    handler: async request => {
      const { user_id: id } = request.params
      const delivery = toLinkDelivery(app.config)
      const target = { id, ifMatch: request.headers['if-match'], actor: request.principal, delivery }
      const data = await request.transact(trx => resetPassword(trx, request.tenant, target))
      return { data }
    },
  })
}
