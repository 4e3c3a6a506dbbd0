import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { dataErasuresCreate } from './data-erasures-create.ts'
import { dataErasuresGet } from './data-erasures-get.ts'
import { dataErasuresPreview } from './data-erasures-preview.ts'

export const dataErasureRoutes: FastifyPluginAsyncZod = async app => {
  dataErasuresCreate(app)
  dataErasuresPreview(app)
  dataErasuresGet(app)
}
