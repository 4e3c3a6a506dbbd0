import type { Database } from '../database/database.ts'
import type { DeliveryJob } from '../jobs/queues.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { claimAttempt, giveUp } from './claim-attempt.ts'
import { lockDelivery } from './lock-delivery.ts'
import { recordAttempt } from './record-attempt.ts'
import type { DeliverySchedule } from './schedule.ts'
import { type Sender, sendMessage } from './send-message.ts'
import { signMessage } from './sign-message.ts'

export interface DeliverySettings {
  readonly secretBox: SecretBox
  readonly sender: Sender
  readonly schedule: DeliverySchedule
}

/**
 * Makes one attempt at a delivery: reads what to send, sends it outside of any transaction, writes down what came of
 * it. Killed between sending and writing it is run again, and sends again under the same id: a receiver may get a
 * message twice and never not at all. Rejects only for what may go better next time on our side; a receiver that
 * fails is an outcome: `succeeded` or the code of its failure; null where there was nothing to send.
 */
export async function deliver(
  database: Database,
  job: DeliveryJob,
  settings: DeliverySettings,
): Promise<string | null> {
  const { secretBox, sender, schedule } = settings
  const claimed = await database.inTenant(job, trx => claimAttempt(trx, job, secretBox))
  if (!claimed) return null
  const { url, secrets, eventId, body } = claimed
  const message = { id: eventId, timestamp: Math.floor(Date.now() / 1_000), body }
  const result = await sendMessage({ url, body, headers: signMessage(message, secrets) }, sender)
  await database.inTenant(job, trx => recordAttempt(trx, job, { result, schedule }))
  return result.errorCode ?? 'succeeded'
}

/** The last word on a delivery whose job failed for good, so that nobody waits for it. */
export async function giveUpOnDelivery(database: Database, job: DeliveryJob): Promise<void> {
  await database.inTenant(job, async trx => {
    const delivery = await lockDelivery(trx, job)
    if (!delivery || delivery.attempt_count + 1 !== job.attempt) return
    await giveUp(trx, job, { code: 'internal_error', status: delivery.status })
  })
}
