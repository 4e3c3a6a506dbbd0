import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { allowedSendersAdd } from './allowed-senders-add.ts'
import { allowedSendersList } from './allowed-senders-list.ts'
import { allowedSendersRemove } from './allowed-senders-remove.ts'
import { allowedSendersReplace } from './allowed-senders-replace.ts'
import { allowedSendersSetPolicy } from './allowed-senders-set-policy.ts'

export const allowedSenderRoutes: FastifyPluginAsyncZod = async app => {
  allowedSendersList(app)
  allowedSendersAdd(app)
  allowedSendersReplace(app)
  allowedSendersRemove(app)
  allowedSendersSetPolicy(app)
}
