import { sql, type Transaction } from 'kysely'
import { test } from 'tap'
import type { Tenant } from '../../../lib/database/database.ts'
import { hasLabel } from '../../../lib/database/has-label.ts'
import type { Tables } from '../../../lib/database/tables.ts'
import { matchesText } from '../../../lib/database/text-search.ts'
import { insertInbox, insertManyEmails } from '../../app/support/insert-email.ts'
import { openTestDatabase } from '../../app/support/open-test-database.ts'
import { seedTwoOrganizations } from '../../app/support/seed-two-organizations.ts'

test('under row-level security, pages of e-mails are read from an index in their order', async t => {
  const database = await openTestDatabase(t)
  const { billing, support, main } = await seedTwoOrganizations(database)
  const inboxes: string[] = []
  for (const tenant of [billing, support, main]) {
    for (let index = 0; index < 3; index++) {
      const inboxId = await insertInbox(database, tenant)
      inboxes.push(inboxId)
      await insertManyEmails(database, tenant, { inboxId, count: 1_000 })
    }
  }
  await database.pool.query('vacuum analyze')

  const explain = (narrow: (query: EmailQuery) => EmailQuery) =>
    database.inTenant(billing, async trx => {
      const plan = await narrow(newest(trx, billing)).explain('text')
      return plan.map(row => Object.values(row).join()).join('\n')
    })

  const lists: [string, string, (query: EmailQuery) => EmailQuery][] = [
    ['all', 'emails_newest', query => query],
    [
      'after a position',
      'emails_newest',
      query => query.where(sql<boolean>`(received_at, id) < ('2026-01-02', 'eml_')`),
    ],
    ['of an inbox', 'emails_of_inbox', query => query.where('inbox_id', '=', inboxes[0] ?? '')],
    ['of a status', 'emails_by_status', query => query.where('status', '=', 'failed')],
    ['from an address', 'emails_from', query => query.where('from_address', '=', 'sender1@example.com')],
  ]
  for (const [name, index, narrow] of lists) {
    t.test(`${name}: ${index}`, async t => {
      const plan = await explain(narrow)
      t.match(plan, new RegExp(`Index Scan using ${index}`))
      t.notMatch(plan, /Sort|Seq Scan/, plan)
    })
  }

  t.test('a rare word: the inverted index', async t => {
    const plan = await explain(query => query.where(matchesText('word999')))
    t.match(plan, /Bitmap Index Scan on emails_text/, plan)
    t.notMatch(plan, /Seq Scan/, plan)
  })

  t.test('a rare label: the inverted index', async t => {
    await database.asOwner(trx =>
      sql`update emails set labels = array['rare'] where subject = 'Message 7'`.execute(trx),
    )
    const plan = await explain(query => query.where(hasLabel('rare')))
    t.match(plan, /Bitmap Index Scan on emails_labels/, plan)
    t.notMatch(plan, /Seq Scan/, plan)
  })

  t.test('one e-mail: the primary key', async t => {
    const plan = await explain(query => query.where('emails.id', '=', 'eml_1'))
    t.match(plan, /Index Scan using emails_pkey/, plan)
  })
})

type EmailQuery = ReturnType<typeof newest>

function newest(trx: Transaction<Tables>, tenant: Tenant) {
  return trx
    .selectFrom('emails')
    .select(['emails.id', 'subject'])
    .where('workspace_id', '=', tenant.workspaceId)
    .where('deleted_at', 'is', null)
    .orderBy('received_at', 'desc')
    .orderBy('emails.id', 'desc')
    .limit(21)
}
