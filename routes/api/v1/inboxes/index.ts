import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { inboxesCreate } from './inboxes-create.ts'
import { inboxesDelete } from './inboxes-delete.ts'
import { inboxesGet } from './inboxes-get.ts'
import { inboxesList } from './inboxes-list.ts'
import { inboxesUpdate } from './inboxes-update.ts'
import { inboxesUpsert } from './inboxes-upsert.ts'

export const inboxRoutes: FastifyPluginAsyncZod = async app => {
  inboxesList(app)
  inboxesGet(app)
  inboxesCreate(app)
  inboxesUpdate(app)
  inboxesUpsert(app)
  inboxesDelete(app)
}
