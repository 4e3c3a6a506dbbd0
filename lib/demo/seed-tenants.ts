import type { Database } from '../database/database.ts'
import { demoRows } from './demo-rows.ts'

/**
 * Puts the demo's organizations, people, workspaces and inboxes in place, once: what is there stays as people
 * have left it, renamed or removed. In one transaction, as the owner, because organizations are nobody's to
 * make.
 */
export async function seedTenants(database: Database): Promise<void> {
  const ids = demoRows.organizations.map(({ id }) => id)
  await database.asOwner(async trx => {
    const known = await trx.selectFrom('organizations').select('id').where('id', 'in', ids).execute()
    if (known.length > 0) return
    await trx.insertInto('organizations').values(demoRows.organizations).execute()
    await trx.insertInto('users').values(demoRows.users).execute()
    await trx.insertInto('workspaces').values(demoRows.workspaces).execute()
    await trx.insertInto('memberships').values(demoRows.memberships).execute()
    await trx.insertInto('inboxes').values(demoRows.inboxes).execute()
    await trx.insertInto('allowed_senders').values(demoRows.allowedSenders).execute()
  })
}
