import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { extractionsGet } from './extractions-get.ts'
import { extractionsList } from './extractions-list.ts'

export const extractionRoutes: FastifyPluginAsyncZod = async app => {
  extractionsList(app)
  extractionsGet(app)
}
