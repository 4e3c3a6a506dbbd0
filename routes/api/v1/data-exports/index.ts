import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { dataExportsCreate } from './data-exports-create.ts'

export const dataExportRoutes: FastifyPluginAsyncZod = async app => {
  dataExportsCreate(app)
}
