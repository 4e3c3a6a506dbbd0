import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { operationsGet } from './operations-get.ts'
import { operationsList } from './operations-list.ts'

export const operationRoutes: FastifyPluginAsyncZod = async app => {
  operationsList(app)
  operationsGet(app)
}
