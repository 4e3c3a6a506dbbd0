import { test } from 'tap'
import { createId } from '../../../lib/id/id.ts'
import { startApp } from '../plumbing/start-app.ts'
import { toRecord, toRefusal } from '../resources/answers.ts'
import { createPerson } from '../resources/person.ts'
import { storeEmail } from '../resources/store-email.ts'
import { storeExtraction } from '../resources/store-extraction.ts'
import { insertInbox } from '../support/insert-email.ts'

test('trying a rule on an e-mail', async t => {
  const { app, database, people } = await startApp(t)
  const { billing } = people
  const inboxId = await insertInbox(database, billing)
  const from = 'pay@bank.example'
  const emailId = await storeEmail(database, billing, {
    inboxId,
    from,
    text: 'Atenção: a\nfatura',
    labels: ['old'],
  })
  await storeExtraction(database, billing, { emailId, inboxId, kind: 'boleto', value: '1' })
  const vera = createPerson(app, people.vera, { workspaceId: billing.workspaceId })
  const bruno = createPerson(app, people.bruno)
  const conditions = [
    { field: 'from', operator: 'ends_with', value: '@bank.example' },
    { field: 'text', operator: 'contains', value: 'ATENCAO: A FATURA' },
    { field: 'extraction', operator: 'equals', value: 'boleto' },
    { field: 'inbox', operator: 'equals', value: inboxId },
    { field: 'subject', operator: 'contains', value: 'anything' },
  ]
  const actions = { label: ['old', 'new'], mark: 'read', notify: true }
  const put = async (key: string, rest: object) =>
    toRecord(await bruno.put('/rules', { key, name: key, conditions, actions, match: 'any', ...rest })).id
  const ruleId = await put('any', { enabled: false })
  const tried = { email_id: emailId }

  await t.test('is refused without both, without the scopes, and with anything else to say', async t => {
    t.equal(toRefusal(await vera.post(`/rules/${createId('rul')}/test`, tried)), '404 not_found')
    const absent = await vera.post(`/rules/${ruleId}/test`, { email_id: createId('eml') })
    t.equal(toRefusal(absent), '404 not_found')
    t.equal(toRefusal(await vera.post(`/rules/${ruleId}/test`, { email_id: 'x' })), '404 not_found')
    t.equal(toRefusal(await vera.post(`/rules/${ruleId}/test`, {})), '400 validation_failed email_id')
    const more = await vera.post(`/rules/${ruleId}/test`, { ...tried, apply: true })
    t.equal(toRefusal(more), '400 validation_failed apply')
    for (const scopes of [['rules:write'], ['emails:read']]) {
      const narrow = createPerson(app, people.bruno, { scopes })
      t.equal(toRefusal(await narrow.post(`/rules/${ruleId}/test`, tried)), '403 insufficient_scope')
    }
  })

  await t.test('tells of each condition and what would change, also for a disabled rule', async t => {
    const { body, status } = await vera.post(`/rules/${ruleId}/test`, tried)
    t.equal(status, 200)
    t.same(body, {
      data: {
        rule_id: ruleId,
        email_id: emailId,
        email_status: 'processed',
        enabled: false,
        matched: true,
        match: 'any',
        conditions: conditions.map((condition, index) => ({ ...condition, matched: index < 4 })),
        would: { label: ['new'], mark: 'read', notify: true },
      },
    })
  })

  await t.test(
    'says that nothing would change where it does not match, or where it is so already',
    async t => {
      const all = await put('all', { match: 'all' })
      t.match((await vera.post(`/rules/${all}/test`, tried)).body, {
        data: { matched: false, enabled: true, would: { label: [], mark: null, notify: false } },
      })
      const done = await storeEmail(database, billing, { inboxId, from, labels: ['new', 'old'] })
      await database.pool.query('update emails set read = true where id = $1', [done])
      await database.pool.query(
        'insert into rule_matches (workspace_id, rule_id, email_id, notified_at) values ($1, $2, $3, now())',
        [billing.workspaceId, ruleId, done],
      )
      t.match((await vera.post(`/rules/${ruleId}/test`, { email_id: done })).body, {
        data: { matched: true, would: { label: [], mark: null, notify: false } },
      })
    },
  )

  await t.test('does nothing', async t => {
    t.match((await vera.get(`/emails/${emailId}`)).body, {
      data: { labels: ['old'], read: false, version: 1 },
    })
    t.match((await vera.get(`/rules/${ruleId}`)).body, { data: { matched_count: 0, version: 1 } })
    const { rows } = await database.pool.query(`select id from events`)
    t.same(rows, [])
  })

  await t.test('does not find an e-mail that was deleted', async t => {
    await bruno.delete(`/emails/${emailId}`)
    t.equal(toRefusal(await vera.post(`/rules/${ruleId}/test`, tried)), '404 not_found')
  })
})
