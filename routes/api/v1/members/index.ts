import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { membersDisable } from './members-disable.ts'
import { membersEnable } from './members-enable.ts'
import { membersGet } from './members-get.ts'
import { membersInvite } from './members-invite.ts'
import { membersList } from './members-list.ts'
import { membersRemove } from './members-remove.ts'
import { membersResetPassword } from './members-reset-password.ts'
import { membersUpdate } from './members-update.ts'

export const memberRoutes: FastifyPluginAsyncZod = async app => {
  membersList(app)
  membersGet(app)
  membersUpdate(app)
  // None of these is a tool: who has access is for people to decide.
  membersInvite(app)
  membersDisable(app)
  membersEnable(app)
  membersRemove(app)
  membersResetPassword(app)
}
