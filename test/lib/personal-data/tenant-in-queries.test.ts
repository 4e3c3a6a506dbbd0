import type { Transaction } from 'kysely'
import { test } from 'tap'
import type { Tenant } from '../../../lib/database/database.ts'
import type { Tables } from '../../../lib/database/tables.ts'
import { beginErasure, getErasure } from '../../../lib/personal-data/erasures.ts'
import { countSent, findEmails } from '../../../lib/personal-data/find-emails.ts'
import { prepareExport } from '../../../lib/personal-data/prepare-export.ts'
import { readEmailLines } from '../../../lib/personal-data/read-email-lines.ts'
import { readPiece } from '../../../lib/personal-data/read-pieces.ts'
import { carla, cpf, storeMail } from '../../app/personal-data/subjects.ts'
import { insertInbox } from '../../app/support/insert-email.ts'
import { startJobs } from '../jobs/support/start-jobs.ts'

// Isolation is enforced twice. Here without row-level security, as the owner: the queries alone keep to the tenant.
test('every query on personal data keeps to its tenant by itself', async t => {
  const { database, people } = await startJobs(t)
  const { billing, support, main, bia } = people
  const { fromHer } = await storeMail(database, billing, await insertInbox(database, billing))
  const address = { kind: 'address', value: carla } as const
  const document = { kind: 'document', value: cpf } as const
  const operation = await database.inTenant(billing, trx =>
    beginErasure(trx, billing, { subject: address, createdBy: bia }),
  )
  const as = <T>(tenant: Tenant, query: (trx: Transaction<Tables>, tenant: Tenant) => Promise<T>) =>
    database.asOwner(trx => query(trx, tenant))

  for (const subject of [address, document]) {
    const search = { subject, reach: 'held', after: '' } as const
    t.ok((await as(billing, (trx, tenant) => findEmails(trx, tenant, search))).ids.length > 0)
    for (const stranger of [support, main]) {
      t.same(await as(stranger, (trx, tenant) => findEmails(trx, tenant, search)), { ids: [], next: null })
      t.match(await as(stranger, (trx, tenant) => countSent(trx, tenant, subject)), { emails: 0, bytes: 0 })
      t.equal((await as(stranger, (trx, tenant) => prepareExport(trx, tenant, subject))).lines.length, 1)
    }
  }
  const what = { kind: 'email_raw', emailId: fromHer } as const
  const id = operation.resource?.id ?? ''
  t.ok(await as(billing, (trx, tenant) => readPiece(trx, tenant, { what, offset: 0 })))
  t.match(await as(billing, (trx, tenant) => getErasure(trx, tenant, id)), { id })
  for (const stranger of [support, main]) {
    t.same(await as(stranger, (trx, tenant) => readEmailLines(trx, tenant, fromHer)), [])
    t.equal(await as(stranger, (trx, tenant) => readPiece(trx, tenant, { what, offset: 0 })), null)
    await t.rejects(
      as(stranger, (trx, tenant) => getErasure(trx, tenant, id)),
      { code: 'not_found' },
    )
  }
  const begun = await database.inTenant(support, trx =>
    beginErasure(trx, support, { subject: address, createdBy: people.ana }),
  )
  t.not(begun.id, operation.id, 'the same subject in another workspace is another erasure')
})

test('what is searched in stretches is found in all of them', async t => {
  const { database, people } = await startJobs(t)
  const { billing } = people
  const inboxId = await insertInbox(database, billing)
  await database.asOwner(async trx => {
    const owner = { organization_id: billing.organizationId, workspace_id: billing.workspaceId }
    const row = (index: number) => ({
      ...owner,
      id: `eml_${String(index).padStart(26, '0')}`,
      inbox_id: inboxId,
      from_address: index % 1_000 === 1 ? carla : 'x@y.test',
      size_bytes: 1,
    })
    for (let start = 0; start < 5_000; start += 1_000) {
      const rows = Array.from({ length: 1_000 }, (_, index) => row(start + index))
      await trx.insertInto('emails').values(rows).execute()
    }
  })
  const ids: string[] = []
  let stretches = 0
  for (let after: string | null = ''; after !== null; stretches++) {
    const search = { subject: { kind: 'address', value: carla }, reach: 'sent', after } as const
    const found: Awaited<ReturnType<typeof findEmails>> = await database.inTenant(billing, trx =>
      findEmails(trx, billing, search),
    )
    ids.push(...found.ids)
    after = found.next
  }
  t.same([ids.length, new Set(ids).size, stretches], [5, 5, 3])
})
