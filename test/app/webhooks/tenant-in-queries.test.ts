import type { Transaction } from 'kysely'
import { test } from 'tap'
import type { Tenant } from '../../../lib/database/database.ts'
import type { Tables } from '../../../lib/database/tables.ts'
import { createJobs } from '../../../lib/jobs/jobs.ts'
import { createSecretBox } from '../../../lib/secrets/secret-box.ts'
import { claimAttempt } from '../../../lib/webhooks/claim-attempt.ts'
import { getDelivery, listDeliveries } from '../../../lib/webhooks/deliveries.ts'
import { publishEvent } from '../../../lib/webhooks/publish-event.ts'
import { recordFailure, recordSuccess } from '../../../lib/webhooks/record-health.ts'
import { redeliver } from '../../../lib/webhooks/redeliver.ts'
import * as webhooks from '../../../lib/webhooks/repository.ts'
import { rotateSecret } from '../../../lib/webhooks/rotate-secret.ts'
import { testWebhook } from '../../../lib/webhooks/test-webhook.ts'
import { silent } from '../../lib/jobs/support/start-jobs.ts'
import { secretsKey } from '../plumbing/start-app.ts'
import { openTestDatabase } from '../support/open-test-database.ts'
import { seedTwoOrganizations } from '../support/seed-two-organizations.ts'

type Query = (trx: Transaction<Tables>, tenant: Tenant) => Promise<unknown>

const secretBox = createSecretBox([secretsKey])
const settings = { secretBox, allowPrivate: false }
const webhook = { url: 'https://hooks.example.com/', event_types: ['email.processed' as const] }

// Isolation is enforced twice. Here without row-level security, as the owner: the queries alone keep to the tenant.
test('every query on webhooks keeps to its tenant by itself', async t => {
  const database = await openTestDatabase(t)
  const jobs = createJobs(database, { log: silent })
  await jobs.start()
  t.teardown(() => jobs.stop())
  const { billing, support, ana } = await seedTwoOrganizations(database)
  const event = { type: 'email.processed', key: 'one', data: {} } as const
  const { id } = await database.inTenant(billing, trx =>
    webhooks.createWebhook(trx, billing, { webhook, settings }),
  )
  await database.inTenant(billing, trx => publishEvent(trx, billing, event))
  const [delivery] = await database.asOwner(trx => trx.selectFrom('deliveries').selectAll().execute())
  const deliveryId = delivery?.id ?? ''
  const inSupport = (query: Query) => database.asOwner(trx => query(trx, support))
  const target = { id, ifMatch: undefined }

  await t.test('those on one record do not find it', async t => {
    const queries: Record<string, Query> = {
      getWebhook: (trx, tenant) => webhooks.getWebhook(trx, tenant, id),
      updateWebhook: (trx, tenant) =>
        webhooks.updateWebhook(trx, tenant, { ...target, changes: { enabled: false }, settings }),
      deleteWebhook: (trx, tenant) => webhooks.deleteWebhook(trx, tenant, target),
      rotateSecret: (trx, tenant) => rotateSecret(trx, tenant, { ...target, overlapHours: 1, secretBox }),
      testWebhook: (trx, tenant) => testWebhook(trx, tenant, { ...target, createdBy: ana }),
      getDelivery: (trx, tenant) => getDelivery(trx, tenant, deliveryId),
      redeliver: (trx, tenant) => redeliver(trx, tenant, { id: deliveryId, createdBy: ana }),
    }
    for (const [name, query] of Object.entries(queries)) {
      await t.rejects(inSupport(query), { code: 'not_found' }, name)
    }
  })

  await t.test('lists, deliveries and what the worker notes leave it alone', async t => {
    const lists: Query[] = [
      (trx, tenant) => webhooks.listWebhooks(trx, tenant, { limit: 20 }),
      (trx, tenant) => listDeliveries(trx, tenant, { limit: 20 }),
    ]
    for (const query of lists) t.match(await inSupport(query), { data: [] })
    const job = { deliveryId, ...support, attempt: 1, operationId: null }
    t.equal(await inSupport(trx => claimAttempt(trx, job, secretBox)), null)
    const failure = { webhookId: id, errorCode: 'gone', isTest: false, giveUpAfter: 0 } as const
    await inSupport((trx, tenant) => recordFailure(trx, tenant, failure))
    await inSupport((trx, tenant) => recordFailure(trx, tenant, { ...failure, errorCode: 'timeout' }))
    await inSupport((trx, tenant) => recordSuccess(trx, tenant, id))
    await inSupport((trx, tenant) => publishEvent(trx, tenant, event))

    const mine = await database.inTenant(billing, trx => webhooks.getWebhook(trx, billing, id))
    t.match(mine, { enabled: true, failing_since: null, version: 1 })
    const deliveries = await database.asOwner(trx => trx.selectFrom('deliveries').selectAll().execute())
    t.same(deliveries, [delivery], 'the same key in another workspace is another event')
  })
})
