import { sql } from 'kysely'
import { test } from 'tap'
import { visibleExtractions } from '../../../lib/extractions/list-extractions.ts'
import { insertInbox, insertManyEmails } from '../../app/support/insert-email.ts'
import { openTestDatabase } from '../../app/support/open-test-database.ts'
import { seedTwoOrganizations } from '../../app/support/seed-two-organizations.ts'

test('under row-level security, pages of extractions are read from an index in their order', async t => {
  const database = await openTestDatabase(t)
  const { billing, support, main } = await seedTwoOrganizations(database)
  const inboxes: string[] = []
  for (const tenant of [billing, support, main]) {
    for (let index = 0; index < 3; index++) {
      const inboxId = await insertInbox(database, tenant)
      inboxes.push(inboxId)
      await insertManyEmails(database, tenant, { inboxId, count: 500 })
    }
  }
  // As the owner, for speed. Two values of each e-mail, of nine kinds; a boleto is due on one of 1,000 days.
  await database.asOwner(trx =>
    sql`insert into extractions (id, workspace_id, email_id, inbox_id, kind, value, details, source, found_offset,
        found_length, position, found_at, due_on)
      select 'ext_' || substr(id, 5) || n, workspace_id, id, inbox_id, 'kind' || length(subject) % 5 + n * 4,
        subject || n, '{}', 'text', 0, 1, n, received_at, date '2026-01-01' + (size_bytes % 1000)::int
      from emails, generate_series(0, 1) as n`.execute(trx),
  )
  await database.pool.query('vacuum analyze')

  type Query = ReturnType<typeof visibleExtractions>
  const explain = (narrow: (query: Query) => Query) =>
    database.inTenant(billing, async trx => {
      const plan = await narrow(visibleExtractions(trx, billing))
        .select('extractions.id')
        .orderBy('extractions.found_at', 'desc')
        .orderBy('extractions.id', 'desc')
        .limit(21)
        .explain('text')
      return plan.map(row => Object.values(row).join()).join('\n')
    })

  const lists: [string, string, (query: Query) => Query][] = [
    ['all', 'extractions_newest', query => query],
    ['of a kind', 'extractions_by_kind', query => query.where(sql<boolean>`extractions.kind = 'kind4'`)],
    [
      'of an inbox',
      'extractions_of_inbox',
      query => query.where('extractions.inbox_id', '=', inboxes[0] ?? ''),
    ],
    [
      'of a value',
      'extractions_by_value',
      query => query.where('extractions.value_hash', '=', sql<string>`md5('Message 71'::text)`),
    ],
    [
      'of an e-mail',
      'extractions_workspace_id_email_id',
      query => query.where('extractions.email_id', '=', 'eml_1'),
    ],
    [
      'due on a day',
      'extractions_due',
      query =>
        query.where('extractions.due_on', '>=', '2028-09-20').where('extractions.due_on', '<', '2028-09-21'),
    ],
  ]
  for (const [name, index, narrow] of lists) {
    t.test(`${name}: ${index}`, async t => {
      const plan = await explain(narrow)
      t.match(plan, new RegExp(`using ${index}|Index Scan on ${index}`), plan)
      t.notMatch(plan, /Seq Scan on extractions/, plan)
    })
  }
})
