import { sql, type Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { enqueueJob } from '../jobs/enqueue-job.ts'
import { createLink } from '../people/create-link.ts'
import { toLinkUrl } from '../people/to-link-url.ts'
import { problem } from '../problem/problem.ts'
import type { PasswordReset } from './schema.ts'

/** How links reach people. */
export interface LinkDelivery {
  /** What links begin with. */
  readonly publicUrl: string
  /** Whether a relay is configured: then people are mailed theirs, and nobody else sees it. */
  readonly isMailed: boolean
}

/** Links of an organization that are good at the same time: it is not to be a way to mail the world. */
const maximumLinks = 100

/**
 * Gives a person a link to set a password: by mail, made by the worker when it sends it; or in the answer, to be handed
 * on. Throws `conflict` while too many links of the organization are open, or the person was mailed one just now.
 */
export async function giveLink(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { userId, createdBy, delivery }: { userId: string; createdBy: string; delivery: LinkDelivery },
): Promise<Omit<PasswordReset, 'id'>> {
  await refuseTooMany(trx, tenant)
  const wanted = { ...tenant, userId, createdBy }
  if (delivery.isMailed) await refuseTooSoon(trx, userId)
  const { token, expiresAt } = await createLink(trx, wanted)
  if (delivery.isMailed) {
    // Of this one nobody learns the token: it ends those before and counts, and the worker replaces it.
    await enqueueJob(trx, 'people.mail_link', wanted)
    return { link: null, link_expires_at: null, mailed: true }
  }
  return { link: toLinkUrl(delivery.publicUrl, token), link_expires_at: expiresAt, mailed: false }
}

async function refuseTooMany(trx: Transaction<Tables>, { organizationId }: Tenant): Promise<void> {
  const { open } = await trx
    .selectFrom('account_links')
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .where('organization_id', '=', organizationId)
    .where('expires_at', '>', sql<string>`now()`)
    .executeTakeFirstOrThrow()
  if (Number(open) < maximumLinks) return
  throw problem(
    'conflict',
    `${maximumLinks} links of this organization have not been used yet. Wait until people have, or some are past their time.`,
  )
}

async function refuseTooSoon(trx: Transaction<Tables>, userId: string): Promise<void> {
  const recent = await trx
    .selectFrom('account_links')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('created_at', '>', sql<string>`now() - interval '1 minute'`)
    .limit(1)
    .executeTakeFirst()
  if (recent) throw problem('conflict', 'A link was made for this person within the last minute.')
}
