import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { guideGet } from './guide-get.ts'

export const guideRoutes: FastifyPluginAsyncZod = async app => {
  guideGet(app)
}
