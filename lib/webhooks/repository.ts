import { sql, type Transaction } from 'kysely'
import { z } from 'zod'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { createId } from '../id/id.ts'
import { parseCursor } from '../paging/cursor.ts'
import { type Page, toPage } from '../paging/page.ts'
import { problem } from '../problem/problem.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { checkUrl } from './check-url.ts'
import {
  type NewWebhook,
  type Webhook,
  type WebhookChanges,
  type WebhooksQuery,
  webhookId,
} from './schema.ts'
import { createSecret, toSecretContext } from './secret.ts'
import {
  editWebhook,
  lockWebhook,
  toWebhook,
  visibleWebhooks,
  type WebhookTarget,
  webhookColumns,
  webhookNotFound,
} from './webhook-row.ts'

/** How many webhooks a workspace may have. */
export const maximumWebhooks = 20

/** What writing a webhook needs of the process. */
export interface WebhookSettings {
  readonly secretBox: SecretBox
  /** Whether plain http and addresses that are not public are taken. For development. */
  readonly allowPrivate: boolean
}

/** A webhook and its secret, which nobody can ask for later. */
export interface RevealedWebhook extends Webhook {
  secret: string
}

/** One page of the workspace's webhooks, newest first. Throws `validation_failed` for another list's cursor. */
export async function listWebhooks(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { limit, cursor }: WebhooksQuery,
): Promise<Page<Webhook>> {
  const listing = { operation: 'webhooks_list', owner: tenant.workspaceId, filters: {} }
  let query = visibleWebhooks(trx, tenant)
  if (cursor !== undefined) {
    const [id] = parseCursor(listing, cursor, z.tuple([webhookId]))
    query = query.where('id', '<', id)
  }
  const rows = await query
    .select(webhookColumns)
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows.map(toWebhook), { limit, listing, position: row => [row.id] })
}

/** One webhook. Throws `not_found`. */
export async function getWebhook(trx: Transaction<Tables>, tenant: Tenant, id: string): Promise<Webhook> {
  if (!webhookId.safeParse(id).success) throw webhookNotFound()
  const row = await visibleWebhooks(trx, tenant)
    .where('id', '=', id)
    .select(webhookColumns)
    .executeTakeFirst()
  if (!row) throw webhookNotFound()
  return toWebhook(row)
}

/** A new webhook and its secret. Throws `validation_failed` for its URL, or `conflict` when there are too many. */
export async function createWebhook(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { webhook, settings }: { webhook: NewWebhook; settings: WebhookSettings },
): Promise<RevealedWebhook> {
  const url = checkUrl(webhook.url, settings)
  await refuseTooMany(trx, tenant)
  const id = createId('whk')
  const secret = createSecret()
  const row = await trx
    .insertInto('webhooks')
    .values({
      id,
      organization_id: tenant.organizationId,
      workspace_id: tenant.workspaceId,
      ...webhook,
      url,
      secret: settings.secretBox.seal(secret, toSecretContext({ id, ...tenant })),
    })
    .returning(webhookColumns)
    .executeTakeFirstOrThrow()
  return { ...toWebhook(row), secret }
}

/**
 * Edits a webhook. Enabling it forgets why it was disabled. Changes that change nothing leave its version. Throws
 * `not_found`, `precondition_failed` or `validation_failed`.
 */
export async function updateWebhook(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { id, ifMatch, changes, settings }: WebhookTarget & { changes: WebhookChanges; settings: WebhookSettings },
): Promise<Webhook> {
  const before = await lockWebhook(trx, tenant, { id, ifMatch })
  const url = changes.url === undefined ? before.url : checkUrl(changes.url, settings)
  const after = { ...toEditable(before), ...changes, url }
  if (JSON.stringify(after) === JSON.stringify(toEditable(before))) return toWebhook(before)
  const isEnabled = after.enabled && !before.enabled
  const row = await editWebhook(trx, tenant, id)
    .set({ ...after, ...(isEnabled && { disabled_code: null, disabled_at: null, failing_since: null }) })
    .returning(webhookColumns)
    .executeTakeFirstOrThrow()
  return toWebhook(row)
}

/** Hides a webhook at once and for good, with its deliveries; nothing more is sent to it. Throws as above. */
export async function deleteWebhook(
  trx: Transaction<Tables>,
  tenant: Tenant,
  target: WebhookTarget,
): Promise<void> {
  const { id } = await lockWebhook(trx, tenant, target)
  await editWebhook(trx, tenant, id).set({ enabled: false, deleted_at: sql<string>`now()` }).execute()
}

interface Editable {
  readonly url: string
  readonly event_types: string[]
  readonly description: string | null
  readonly enabled: boolean
}

function toEditable({ url, event_types, description, enabled }: Editable): Editable {
  return { url, event_types, description, enabled }
}

/** Counts one at a time, so that callers at the same moment do not all find room for one more. */
async function refuseTooMany(trx: Transaction<Tables>, tenant: Tenant): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks:${tenant.workspaceId}`}, 0))`.execute(
    trx,
  )
  const { count } = await visibleWebhooks(trx, tenant)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  if (count < maximumWebhooks) return
  throw problem(
    'conflict',
    `This workspace has ${maximumWebhooks} webhooks, the most that are allowed. Delete one first.`,
  )
}
