import { sql, type Transaction } from 'kysely'
import type { DeliveryStatus, Tables } from '../database/tables.ts'
import type { DeliveryJob } from '../jobs/queues.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { attemptErrors } from './attempt-errors.ts'
import { endDeliveryOperation, startDeliveryOperation } from './delivery-operation.ts'
import { lockDelivery } from './lock-delivery.ts'
import { toSecretContext } from './secret.ts'
import { toFailure } from './to-failure.ts'

/** What an attempt sends, where to, and what it is signed with. */
export interface ClaimedAttempt {
  readonly url: string
  readonly secrets: readonly string[]
  readonly eventId: string
  readonly body: string
}

/**
 * What is to be sent; null when there is nothing to do: the attempt has been made, or its webhook or e-mail is not
 * there any more, which ends the delivery here.
 */
export async function claimAttempt(
  trx: Transaction<Tables>,
  job: DeliveryJob,
  secretBox: SecretBox,
): Promise<ClaimedAttempt | null> {
  const delivery = await lockDelivery(trx, job)
  if (!delivery) {
    await endDeliveryOperation(trx, job, { code: 'email_deleted', reason: attemptErrors.email_deleted })
    return null
  }
  if (delivery.attempt_count + 1 !== job.attempt) {
    await endAsAttempted(trx, job)
    return null
  }
  if (delivery.status !== 'pending' && job.operationId === null) return null
  const obstacle = await findObstacle(trx, job, delivery)
  if (obstacle) {
    await giveUp(trx, job, { code: obstacle, status: delivery.status })
    return null
  }
  await startDeliveryOperation(trx, job)
  return readMessage(trx, job, { delivery, secretBox })
}

/** Another job made this attempt: what somebody waits for has come out as that did. */
export async function endAsAttempted(trx: Transaction<Tables>, job: DeliveryJob): Promise<void> {
  if (job.operationId === null) return
  const attempt = await trx
    .selectFrom('delivery_attempts')
    .where('workspace_id', '=', job.workspaceId)
    .where('delivery_id', '=', job.deliveryId)
    .where('number', '=', job.attempt)
    .select(['status', 'error_code'])
    .executeTakeFirst()
  await endDeliveryOperation(trx, job, toFailure(attempt?.error_code ?? null, attempt?.status ?? null))
}

/** Ends a delivery that nothing can be sent for. One that has succeeded before remains so. */
export async function giveUp(
  trx: Transaction<Tables>,
  job: DeliveryJob,
  { code, status }: { code: keyof typeof attemptErrors; status: DeliveryStatus },
): Promise<void> {
  const end = { status: 'dead', failure_code: code, finished_at: sql<string>`now()` } as const
  await trx
    .updateTable('deliveries')
    .set({ next_attempt_at: null, ...(status === 'pending' && end) })
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.deliveryId)
    .execute()
  await endDeliveryOperation(trx, job, toFailure(code, null))
}

type Delivery = NonNullable<Awaited<ReturnType<typeof lockDelivery>>>

async function findObstacle(trx: Transaction<Tables>, job: DeliveryJob, delivery: Delivery) {
  const webhook = await trx
    .selectFrom('webhooks')
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', delivery.webhook_id)
    .select(['enabled', 'deleted_at'])
    .executeTakeFirst()
  if (!webhook || webhook.deleted_at !== null) return 'webhook_deleted'
  // A test is how one finds out whether a disabled webhook would work again.
  if (!webhook.enabled && delivery.event_type !== 'webhook.test') return 'webhook_disabled'
  const deleted = await trx
    .selectFrom('events')
    .innerJoin('emails', join =>
      join
        .onRef('emails.workspace_id', '=', 'events.workspace_id')
        .onRef('emails.id', '=', 'events.email_id'),
    )
    .innerJoin('inboxes', join =>
      join
        .onRef('inboxes.workspace_id', '=', 'emails.workspace_id')
        .onRef('inboxes.id', '=', 'emails.inbox_id'),
    )
    .where('events.workspace_id', '=', job.workspaceId)
    .where('events.id', '=', delivery.event_id)
    .where(eb => eb.or([eb('emails.deleted_at', 'is not', null), eb('inboxes.deleted_at', 'is not', null)]))
    .select('events.id')
    .executeTakeFirst()
  return deleted ? 'email_deleted' : null
}

async function readMessage(
  trx: Transaction<Tables>,
  { workspaceId }: DeliveryJob,
  { delivery, secretBox }: { delivery: Delivery; secretBox: SecretBox },
): Promise<ClaimedAttempt> {
  const webhook = await trx
    .selectFrom('webhooks')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', delivery.webhook_id)
    .select(['id', 'url', 'secret'])
    // While both are valid the receiver may have either.
    .select(
      sql<string | null>`case when previous_secret_until > now() then previous_secret end`.as('previous'),
    )
    .executeTakeFirstOrThrow()
  const event = await trx
    .selectFrom('events')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', delivery.event_id)
    .select(['id', 'type', 'created_at', 'data'])
    .executeTakeFirstOrThrow()
  const context = toSecretContext({ workspaceId, id: webhook.id })
  const sealed = webhook.previous === null ? [webhook.secret] : [webhook.secret, webhook.previous]
  return {
    url: webhook.url,
    secrets: sealed.map(secret => secretBox.open(secret, context)),
    eventId: event.id,
    body: JSON.stringify({ type: event.type, timestamp: event.created_at, data: event.data }),
  }
}
