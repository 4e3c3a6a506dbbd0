import type { FastifyPluginAsync } from 'fastify'
import { allowedSenderRoutes } from './allowed-senders/index.ts'
import { apiKeyRoutes } from './api-keys/index.ts'
import { attachmentRoutes } from './attachments/index.ts'
import { auditEventRoutes } from './audit-events/index.ts'
import { dataErasureRoutes } from './data-erasures/index.ts'
import { dataExportRoutes } from './data-exports/index.ts'
import { deliveryRoutes } from './deliveries/index.ts'
import { emailRoutes } from './emails/index.ts'
import { extractionRoutes } from './extractions/index.ts'
import { guideRoutes } from './guide/index.ts'
import { inboxRoutes } from './inboxes/index.ts'
import { meRoutes } from './me/index.ts'
import { memberRoutes } from './members/index.ts'
import { operationRoutes } from './operations/index.ts'
import { refuseBody } from './refuse-body.ts'
import { ruleRoutes } from './rules/index.ts'
import { statsRoutes } from './stats/index.ts'
import { webhookRoutes } from './webhooks/index.ts'
import { workspaceRoutes } from './workspaces/index.ts'

/** Every operation of version 1 of the API. Register it with the prefix /api/v1, after everything it needs. */
export const apiRoutes: FastifyPluginAsync = async app => {
  app.addHook('preValidation', refuseBody)
  await app.register(guideRoutes)
  await app.register(meRoutes)
  await app.register(workspaceRoutes)
  await app.register(memberRoutes)
  await app.register(apiKeyRoutes)
  await app.register(inboxRoutes)
  await app.register(allowedSenderRoutes)
  await app.register(emailRoutes)
  await app.register(attachmentRoutes)
  await app.register(extractionRoutes)
  await app.register(ruleRoutes)
  await app.register(webhookRoutes)
  await app.register(deliveryRoutes)
  await app.register(operationRoutes)
  await app.register(auditEventRoutes)
  await app.register(statsRoutes)
  await app.register(dataExportRoutes)
  await app.register(dataErasureRoutes)
}
