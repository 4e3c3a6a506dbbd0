import { test } from 'tap'
import type { Database, Tenant } from '../../../lib/database/database.ts'
import { matchesText, toSearchVector, toWords } from '../../../lib/database/text-search.ts'
import { createId } from '../../../lib/id/id.ts'
import { insertInbox } from '../../app/support/insert-email.ts'
import { openTestDatabase } from '../../app/support/open-test-database.ts'
import { seedTwoOrganizations } from '../../app/support/seed-two-organizations.ts'

test('text becomes words without case, accents or punctuation, each once', async t => {
  t.strictSame(toWords('São Paulo, SAO PAULO: 34191.79001'), ['sao', 'paulo', '34191', '79001'])
  t.strictSame(toWords("ana@acme.test O'Neil \\ ' \" :* & | ! ( ) <->"), ['ana', 'acme', 'test', 'o', 'neil'])
  t.strictSame(toWords('ﬁnal ① 東京 Ωμέγα'), ['final', '1', '東京', 'ωμεγα'])
  t.strictSame(toWords(`\u0000 \ud800 ${'x'.repeat(100)}`), ['x'.repeat(64)])
  t.strictSame(toWords('!?'), [])
})

test('searching', async t => {
  const database = await openTestDatabase(t)
  const { billing, support } = await seedTwoOrganizations(database)
  const paulo = await insert(database, billing, ['Fatura de São Paulo', 'ana@acme.test', '34191.79001 01043'])
  const rio = await insert(database, billing, ['Fatura do Rio', 'bia@acme.test', null])
  await insert(database, support, ['Fatura de São Paulo', 'ana@acme.test', null])
  const find = (question: string) => search(database, billing, question)

  t.test('every word has to be there, or begin one that is', async t => {
    t.strictSame(await find('fatura'), [paulo, rio])
    t.strictSame(await find('FATUR rio'), [rio])
    t.strictSame(await find('rio paulo'), [])
    t.strictSame(await find('atura'), [])
  })

  t.test('accents and case make no difference, on either side', async t => {
    t.strictSame(await find('sao'), [paulo])
    t.strictSame(await find('SÃO PÁULO'), [paulo])
  })

  t.test('addresses and lines of digits are found as they are written', async t => {
    t.strictSame(await find('ana@acme.test'), [paulo])
    t.strictSame(await find('34191.79001 01043'), [paulo])
    t.strictSame(await find('acme.test'), [paulo, rio])
  })

  t.test('a question without a word finds nothing, and no question is an error', async t => {
    for (const question of ['', ' ', '!?', "'", "\\'", ':*', '&|!<->()', '\u0000', '\ud800', '%_']) {
      t.strictSame(await find(question), [], JSON.stringify(question))
    }
    for (const question of ["fatura'", 'fatura:*', 'fatura & !rio', "fatura' | 'x", 'fatura\\']) {
      await t.resolves(find(question), question)
    }
    t.strictSame(await find('fatura '.repeat(5_000)), [paulo, rio])
  })

  t.test('an enormous text is kept within what the type holds', async t => {
    const words = Array.from({ length: 300_000 }, (_, index) => `語語語語語語語語語語${index}`)
    const id = await insert(database, billing, ['Enormous', words.join(' '), null])
    t.strictSame(await find('enormous 語語語語語語語語語語1'), [id])
  })
})

async function insert(database: Database, tenant: Tenant, texts: (string | null)[]): Promise<string> {
  const id = createId('eml')
  const inbox_id = await insertInbox(database, tenant)
  const { organizationId: organization_id, workspaceId: workspace_id } = tenant
  const row = {
    id,
    organization_id,
    workspace_id,
    inbox_id,
    size_bytes: 1,
    text_search: toSearchVector(texts),
  }
  await database.inTenant(tenant, trx => trx.insertInto('emails').values(row).execute())
  return id
}

async function search(database: Database, tenant: Tenant, question: string): Promise<string[]> {
  const rows = await database.inTenant(tenant, trx =>
    trx.selectFrom('emails').select('emails.id').where(matchesText(question)).orderBy('emails.id').execute(),
  )
  return rows.map(row => row.id)
}
