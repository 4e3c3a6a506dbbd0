import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { membersGet } from './members-get.ts'
import { membersList } from './members-list.ts'
import { membersUpdate } from './members-update.ts'

export const memberRoutes: FastifyPluginAsyncZod = async app => {
  membersList(app)
  membersGet(app)
  membersUpdate(app)
}
