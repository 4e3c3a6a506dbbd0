import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { statsGet } from './stats-get.ts'

export const statsRoutes: FastifyPluginAsyncZod = async app => {
  statsGet(app)
}
