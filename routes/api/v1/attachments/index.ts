import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { attachmentsGet } from './attachments-get.ts'
import { attachmentsGetContent } from './attachments-get-content.ts'
import { attachmentsList } from './attachments-list.ts'

export const attachmentRoutes: FastifyPluginAsyncZod = async app => {
  attachmentsList(app)
  attachmentsGet(app)
  attachmentsGetContent(app)
}
