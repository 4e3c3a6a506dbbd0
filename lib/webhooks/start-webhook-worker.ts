import type { Dispatcher } from 'undici'
import type { Database } from '../database/database.ts'
import type { Jobs, JobsLog } from '../jobs/jobs.ts'
import { observed, type WorkerObserver } from '../metrics/worker-observer.ts'
import { createGuardedAgent } from '../network/guarded-agent.ts'
import { createSecretBox } from '../secrets/secret-box.ts'
import { deliver, giveUpOnDelivery } from './deliver.ts'
import { resealSecrets } from './reseal-secrets.ts'
import { type DeliverySchedule, defaultSchedule } from './schedule.ts'

export interface WebhookWorkerOptions {
  /** What webhooks' secrets are sealed with, as the API has them: the first seals, all open. */
  readonly secretsKeys: readonly string[]
  /** Also delivers to addresses that are not public. For development. */
  readonly allowPrivate: boolean
  /** When failed deliveries are tried again. */
  readonly schedule?: DeliverySchedule
  /** Milliseconds for a whole attempt; 15,000 by default. Well below what a job may take. */
  readonly deadline?: number
  /**
   * Attempts at a time; 8 by default. A receiver that is slow holds one; those of one workspace hold half of them at
   * most, over all workers, so that they never keep the others waiting.
   */
  readonly concurrency?: number
  /** What sends, guarded and the caller's to end; one of its own for `allowPrivate` unless given. */
  readonly dispatcher?: Dispatcher
}

/** Delivers webhooks in this process. Stop it after its jobs. */
export async function startWebhookWorker(
  {
    database,
    jobs,
    log,
    observer,
  }: { database: Database; jobs: Jobs; log: JobsLog; observer?: WorkerObserver },
  options: WebhookWorkerOptions,
): Promise<{ stop(): Promise<void> }> {
  const { allowPrivate, deadline = 15_000, schedule = defaultSchedule, concurrency = 8 } = options
  if (allowPrivate) log.warn({}, 'webhooks may go to private addresses: WEBHOOK_ALLOW_PRIVATE is set')
  const dispatcher = options.dispatcher ?? createGuardedAgent({ allowPrivate })
  const secretBox = createSecretBox(options.secretsKeys)
  await resealSecrets(database, secretBox)
  const settings = {
    secretBox,
    sender: { dispatcher, deadline },
    schedule,
  }
  const perWorkspace = Math.ceil(concurrency / 2)
  for (let index = 0; index < concurrency; index++) {
    await jobs.handle(
      'webhook.deliver',
      job => observed(observer?.delivery, deliver(database, job, settings)),
      {
        perWorkspace,
      },
    )
  }
  await jobs.handleDead('webhook.deliver', job => giveUpOnDelivery(database, job))
  return {
    async stop() {
      if (!options.dispatcher) await dispatcher.destroy()
    },
  }
}
