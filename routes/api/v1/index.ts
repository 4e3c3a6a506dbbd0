import type { FastifyPluginAsync } from 'fastify'
import { emailRoutes } from './emails/index.ts'
import { inboxRoutes } from './inboxes/index.ts'
import { meRoutes } from './me/index.ts'
import { operationRoutes } from './operations/index.ts'
import { refuseBody } from './refuse-body.ts'
import { workspaceRoutes } from './workspaces/index.ts'

/** Every operation of version 1 of the API. Register it with the prefix /api/v1, after everything it needs. */
export const apiRoutes: FastifyPluginAsync = async app => {
  app.addHook('preValidation', refuseBody)
  await app.register(meRoutes)
  await app.register(workspaceRoutes)
  await app.register(inboxRoutes)
  await app.register(emailRoutes)
  await app.register(operationRoutes)
}
