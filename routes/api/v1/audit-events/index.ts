import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { auditEventsList } from './audit-events-list.ts'

export const auditEventRoutes: FastifyPluginAsyncZod = async app => {
  auditEventsList(app)
}
