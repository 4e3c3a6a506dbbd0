import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { deliveriesGet } from './deliveries-get.ts'
import { deliveriesList } from './deliveries-list.ts'
import { deliveriesRedeliver } from './deliveries-redeliver.ts'

export const deliveryRoutes: FastifyPluginAsyncZod = async app => {
  deliveriesList(app)
  deliveriesGet(app)
  deliveriesRedeliver(app)
}
