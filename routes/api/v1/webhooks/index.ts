import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { webhooksCreate } from './webhooks-create.ts'
import { webhooksDelete } from './webhooks-delete.ts'
import { webhooksGet } from './webhooks-get.ts'
import { webhooksList } from './webhooks-list.ts'
import { webhooksRotateSecret } from './webhooks-rotate-secret.ts'
import { webhooksTest } from './webhooks-test.ts'
import { webhooksUpdate } from './webhooks-update.ts'

export const webhookRoutes: FastifyPluginAsyncZod = async app => {
  webhooksList(app)
  webhooksGet(app)
  webhooksCreate(app)
  webhooksUpdate(app)
  webhooksDelete(app)
  webhooksRotateSecret(app)
  webhooksTest(app)
}
