import { test } from 'tap'
import { applyRules, tryRules } from '../../../lib/rules/apply-rules.ts'
import { toRuleSubject } from '../../../lib/rules/match-rule.ts'
import { matchRules } from '../../../lib/rules/match-rules.ts'
import type { RuleCondition } from '../../../lib/rules/schema.ts'
import { upsertRule } from '../../../lib/rules/upsert-rule.ts'
import { storeEmail } from '../../app/resources/store-email.ts'
import { insertInbox } from '../../app/support/insert-email.ts'
import { openTestDatabase } from '../../app/support/open-test-database.ts'
import { seedTwoOrganizations } from '../../app/support/seed-two-organizations.ts'

const facts = { from: null, subject: 'Fatura', extractionKinds: [] }

test('rules that change between the reading of a message and its filing are applied as they are then', async t => {
  const database = await openTestDatabase(t)
  const { billing: tenant } = await seedTwoOrganizations(database)
  const emailId = await storeEmail(database, tenant, { inboxId: await insertInbox(database, tenant) })
  const setRule = (key: string, value: string, more: { stop?: boolean; priority?: number } = {}) =>
    database.inTenant(tenant, trx =>
      upsertRule(trx, tenant, {
        rule: {
          key,
          name: key,
          conditions: [{ field: 'subject', operator: 'contains', value }],
          actions: { label: [key] },
          ...more,
        },
        ifMatch: undefined,
      }),
    )
  await setRule('same', 'fatura')
  await setRule('other', 'boleto')
  await setRule('matched', 'fatura')
  await setRule('missed', 'boleto')
  await setRule('stopping', 'fatura', { stop: true, priority: 200 })
  await setRule('behind', 'fatura', { priority: 300 })

  const subject = { ...toRuleSubject({ ...facts, text: '' }), inbox: [] }
  const tried = await tryRules(database, tenant, subject)
  t.equal(tried.found.size, 5, 'nothing behind the one that stops is tried')
  await setRule('matched', 'boleto')
  await setRule('missed', 'fatura')
  await setRule('stopping', 'fatura', { stop: false })
  await setRule('new', 'fatura')

  const marks = { labels: [], read: false }
  const applied = await database.inTenant(tenant, trx => applyRules(trx, tenant, { emailId, tried, marks }))
  t.same([...applied.marks.labels].sort(), ['behind', 'missed', 'new', 'same', 'stopping'])
})

test('many conditions on a long text leave others their turn', async t => {
  const value = `${'a'.repeat(199)}b`
  const condition: RuleCondition = { field: 'text', operator: 'contains', value }
  const rules = Array.from({ length: 40 }, (_, index) => ({
    id: `rul_${index}`,
    version: 1,
    stop: false,
    match: 'any' as const,
    conditions: Array.from({ length: 20 }, () => condition),
  }))
  const subject = { ...toRuleSubject({ ...facts, text: 'a'.repeat(200_000) }), inbox: [] }
  let turns = 0
  const timer = setInterval(() => {
    turns += 1
  }, 1)
  t.teardown(() => clearInterval(timer))
  const found = await matchRules(rules, subject)
  t.equal(found.size, 40)
  t.notOk([...found.values()].some(({ matched }) => matched))
  t.ok(turns >= 5, `${turns} turns of others`)
})
