import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { rulesDelete } from './rules-delete.ts'
import { rulesGet } from './rules-get.ts'
import { rulesList } from './rules-list.ts'
import { rulesTest } from './rules-test.ts'
import { rulesUpsert } from './rules-upsert.ts'

export const ruleRoutes: FastifyPluginAsyncZod = async app => {
  rulesList(app)
  rulesGet(app)
  rulesUpsert(app)
  rulesDelete(app)
  rulesTest(app)
}
