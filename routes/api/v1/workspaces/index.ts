import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { workspacesCreate } from './workspaces-create.ts'
import { workspacesGet } from './workspaces-get.ts'
import { workspacesList } from './workspaces-list.ts'
import { workspacesUpdate } from './workspaces-update.ts'

export const workspaceRoutes: FastifyPluginAsyncZod = async app => {
  workspacesList(app)
  workspacesGet(app)
  workspacesCreate(app)
  workspacesUpdate(app)
}
