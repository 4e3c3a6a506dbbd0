import type { FastifyInstance } from 'fastify'
import { Webhook } from 'standardwebhooks'
import { z } from 'zod'
import type { Database, Tenant } from '../../../lib/database/database.ts'
import type { WorkerObserver } from '../../../lib/metrics/worker-observer.ts'
import { publishEvent } from '../../../lib/webhooks/publish-event.ts'
import { startWebhookWorker, type WebhookWorkerOptions } from '../../../lib/webhooks/start-webhook-worker.ts'
import { eventually, silent } from '../../lib/jobs/support/start-jobs.ts'
import { secretsKey, startApp } from '../plumbing/start-app.ts'
import { createPerson, type Person } from '../resources/person.ts'
import type { Teardown } from '../support/open-test-database.ts'
import type { TwoOrganizations } from '../support/seed-two-organizations.ts'
import { type Received, type Receiver, startReceiver } from './start-receiver.ts'

export const oneWebhook = z.object({
  data: z.looseObject({ id: z.string(), secret: z.string(), version: z.int() }),
})

const attempt = z.looseObject({
  number: z.int(),
  status: z.int().nullable(),
  error_code: z.string().nullable(),
  response_excerpt: z.string().nullable(),
  latency_ms: z.int(),
})
const delivery = z.looseObject({
  id: z.string(),
  event_id: z.string(),
  status: z.enum(['pending', 'succeeded', 'dead']),
  failure: z.object({ code: z.string(), reason: z.string() }).nullable(),
  attempt_count: z.int(),
  next_attempt_at: z.string().nullable(),
  attempts: z.array(attempt).default([]),
})
const operation = z.looseObject({
  id: z.string(),
  status: z.string(),
  resource: z.object({ type: z.string(), id: z.string() }),
  error: z.object({ code: z.string(), detail: z.string() }).nullable(),
})

export type Delivery = z.infer<typeof delivery>
export type Operation = z.infer<typeof operation>

/** Schedules in the time of a test: two retries, a second after another. */
export const hastySchedule = { retryAfter: [0.2, 0.2], longestWait: 2, giveUpAfter: 3_600 }

export interface StartedWebhooks {
  readonly app: FastifyInstance
  readonly database: Database
  readonly people: TwoOrganizations
  readonly tenant: Tenant
  /** An admin of the tenant's workspace. */
  readonly bia: Person
  readonly receiver: Receiver
  create(body?: object): Promise<{ id: string; secret: string; version: number }>
  publish(key: string, type?: 'email.processed' | 'email.failed'): Promise<void>
  /** The deliveries to a webhook with their attempts, once there are as many and none is pending. */
  settled(webhookId: string, count?: number): Promise<Delivery[]>
  ended(answer: { body: unknown }): Promise<Operation>
}

/** The application with its queue, a worker that delivers webhooks hastily, and a receiver. */
export async function startWebhooks(
  t: Teardown,
  {
    observer,
    ...options
  }: Partial<WebhookWorkerOptions> & {
    isIdle?: boolean
    observer?: WorkerObserver
  } = {},
): Promise<StartedWebhooks> {
  const { app, database, people } = await startApp(t, { config: { webhookAllowPrivate: true } })
  await app.jobs.start()
  t.teardown(() => app.jobs.stop())
  if (!options.isIdle) {
    const worker = await startWebhookWorker(
      { database, jobs: app.jobs, log: silent, ...(observer && { observer }) },
      { secretsKeys: [secretsKey], allowPrivate: true, schedule: hastySchedule, deadline: 2_000, ...options },
    )
    t.teardown(() => worker.stop())
  }
  const receiver = await startReceiver(t)
  const tenant = people.billing
  const bia = createPerson(app, people.bia)
  const readDelivery = async (id: string) =>
    z.object({ data: delivery }).parse((await bia.get(`/deliveries/${id}`)).body).data

  return {
    app,
    database,
    people,
    tenant,
    bia,
    receiver,
    async create(body = {}) {
      const wanted = { url: receiver.url, event_types: ['email.processed'], ...body }
      return oneWebhook.parse((await bia.post('/webhooks', wanted)).body).data
    },
    publish: (key, type = 'email.processed') =>
      database.inTenant(tenant, trx => publishEvent(trx, tenant, { type, key, data: { key } })),
    settled: (webhookId, count = 1) =>
      eventually(async () => {
        const { body } = await bia.get(`/deliveries?webhook_id=${webhookId}`)
        const { data } = z.object({ data: z.array(delivery) }).parse(body)
        const isSettled = data.length === count && data.every(({ status }) => status !== 'pending')
        return isSettled && Promise.all(data.map(({ id }) => readDelivery(id)))
      }),
    ended: ({ body }) => {
      const { id } = z.object({ data: operation }).parse(body).data
      return eventually(async () => {
        const { data } = z.object({ data: operation }).parse((await bia.get(`/operations/${id}`)).body)
        return ['succeeded', 'failed'].includes(data.status) && data
      })
    },
  }
}

/** What a receiver does: the message, if it is signed with the secret; throws otherwise. */
export function verify(secret: string, { body, headers }: Received): unknown {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
  return new Webhook(secret).verify(
    body,
    Object.fromEntries(names.map(name => [name, String(headers[name])])),
  )
}
