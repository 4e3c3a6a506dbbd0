import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { emailsDelete } from './emails-delete.ts'
import { emailsGet } from './emails-get.ts'
import { emailsGetRaw } from './emails-get-raw.ts'
import { emailsGetText } from './emails-get-text.ts'
import { emailsIngest } from './emails-ingest.ts'
import { emailsList } from './emails-list.ts'
import { emailsReprocess } from './emails-reprocess.ts'
import { emailsUpdate } from './emails-update.ts'

export const emailRoutes: FastifyPluginAsyncZod = async app => {
  emailsList(app)
  emailsGet(app)
  emailsUpdate(app)
  emailsDelete(app)
  emailsReprocess(app)
  emailsGetRaw(app)
  emailsGetText(app)
  await app.register(emailsIngest)
}
