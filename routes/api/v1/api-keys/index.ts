import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { apiKeysCreate } from './api-keys-create.ts'
import { apiKeysList } from './api-keys-list.ts'
import { apiKeysRevoke } from './api-keys-revoke.ts'

/** None of them is a tool: a model has no business with what authenticates programs. */
export const apiKeyRoutes: FastifyPluginAsyncZod = async app => {
  apiKeysList(app)
  apiKeysCreate(app)
  apiKeysRevoke(app)
}
