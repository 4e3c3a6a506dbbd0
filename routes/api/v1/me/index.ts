import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { meGet } from './me-get.ts'

export const meRoutes: FastifyPluginAsyncZod = async app => {
  meGet(app)
}
