import { test } from 'tap'
import { createId } from '../../../lib/id/id.ts'
import { mostRules } from '../../../lib/rules/schema.ts'
import { startApp } from '../plumbing/start-app.ts'
import { toIds, toRecord, toRefusal } from '../resources/answers.ts'
import { createPerson } from '../resources/person.ts'

const conditions = [{ field: 'subject', operator: 'contains', value: 'fatura' }]
const actions = { label: ['invoice'] }
const ruleOf = (key: string) => ({ key, name: `Rule ${key}`, conditions, actions })

test('rules', async t => {
  const { app, database, people } = await startApp(t)
  const vera = createPerson(app, people.vera, { workspaceId: people.billing.workspaceId })
  const bruno = createPerson(app, people.bruno)

  await t.test('are refused with what they cannot be, naming it', async t => {
    const refused: [body: object, paths: string][] = [
      [{}, 'key, name, conditions, actions'],
      [{ ...ruleOf('a'), conditions: [] }, 'conditions'],
      [{ ...ruleOf('a'), actions: {} }, 'actions'],
      [{ ...ruleOf('a'), actions: { notify: true, forward: 'x@y.test' } }, 'actions.forward'],
      [{ ...ruleOf('a'), actions: { mark: 'unread' } }, 'actions.mark'],
      [{ ...ruleOf('a'), priority: 1001, stop: 'yes' }, 'priority, stop'],
      [{ ...ruleOf('a'), colour: 'red' }, 'colour'],
      [
        { ...ruleOf('a'), conditions: [{ field: 'subject', operator: 'matches', value: '(a+)+$' }] },
        'conditions.0.operator',
      ],
      [
        { ...ruleOf('a'), conditions: [{ field: 'from', operator: 'ends_with', value: 'bank.example' }] },
        'conditions.0.value',
      ],
    ]
    // Half of a surrogate pair, which JSON can say and the database cannot hold.
    const half = '\ud800'
    refused.push(
      [
        { ...ruleOf('a'), conditions: [{ field: 'text', operator: 'contains', value: half }] },
        'conditions.0.value',
      ],
      [{ ...ruleOf('a'), actions: { label: ['fine', `a${half}`] } }, 'actions.label.1'],
      [{ ...ruleOf(`${half}b`), name: `n${half}`, description: half }, 'key, name, description'],
    )
    for (const [body, paths] of refused) {
      t.equal(toRefusal(await bruno.put('/rules', body)), `400 validation_failed ${paths}`)
    }
    t.equal(toRefusal(await vera.put('/rules', ruleOf('a'))), '403 forbidden')
    const reader = createPerson(app, people.bruno, { scopes: ['rules:read'] })
    t.equal(toRefusal(await reader.put('/rules', ruleOf('a'))), '403 insufficient_scope')
    t.equal(toRefusal(await bruno.put('/rules', ruleOf('a'), { 'if-match': '*' })), '412 precondition_failed')
    t.same(toIds(await vera.get('/rules')).ids, [])
  })

  await t.test('are created by their key, then changed, keeping what is not given', async t => {
    const created = await bruno.put('/rules', { ...ruleOf('b'), priority: 7, description: 'why' })
    const { id } = toRecord(created)
    t.match(created, { status: 201, headers: { etag: '"1"', location: `/api/v1/rules/${id}` } })
    t.match(toRecord(created), {
      ...ruleOf('b'),
      priority: 7,
      description: 'why',
      enabled: true,
      stop: false,
      match: 'all',
      matched_count: 0,
      last_matched_at: null,
    })
    const changed = await bruno.put('/rules', { ...ruleOf('b'), enabled: false, actions: { notify: true } })
    t.match(changed, { status: 200, headers: { etag: '"2"', location: undefined } })
    t.match(toRecord(changed), { id, priority: 7, description: 'why', enabled: false })
    t.same(toRecord(changed).actions, { notify: true }, 'actions are replaced as a whole')
    const same = await bruno.put(
      '/rules',
      { ...ruleOf('b'), actions: { notify: true } },
      { 'if-match': '"2"' },
    )
    t.match(same, { status: 200, headers: { etag: '"2"' } }, 'what changes nothing is no edit')
    const stale = await bruno.put('/rules', { ...ruleOf('b'), name: 'Stale' }, { 'if-match': '"1"' })
    t.equal(toRefusal(stale), '412 precondition_failed')
    t.match(await vera.get(`/rules/${id}`), { status: 200, headers: { etag: '"2"' } })
    t.not(toRecord(await bruno.put('/rules', ruleOf('B'))).id, id, 'keys are compared exactly')
    const whole = await bruno.put('/rules', { ...ruleOf('😀'), actions: { label: ['😀'] } })
    t.match(toRecord(whole), { key: '😀', actions: { label: ['😀'] } })
  })

  await t.test('created by many at once are one', async t => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => bruno.put('/rules', { ...ruleOf('race'), priority: index })),
    )
    t.same(answers.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 201])
    t.equal(new Set(answers.map(answer => toRecord(answer).id)).size, 1)
  })

  await t.test('count matches without another version', async t => {
    const { id } = toRecord(await bruno.put('/rules', ruleOf('counted')))
    await database.pool.query('update rules set matched_count = 3 where id = $1', [id])
    const answer = await vera.get(`/rules/${id}`)
    t.match(answer, { headers: { etag: '"1"' }, body: { data: { matched_count: 3, version: 1 } } })
  })

  await t.test('are deleted for good, and their key is free again', async t => {
    const { id } = toRecord(await bruno.put('/rules', ruleOf('gone')))
    t.equal(toRefusal(await vera.delete(`/rules/${id}`)), '403 forbidden')
    t.equal(toRefusal(await bruno.delete(`/rules/${id}`, { 'if-match': '"2"' })), '412 precondition_failed')
    t.equal(toRefusal(await bruno.delete(`/rules/${createId('rul')}`)), '404 not_found')
    t.match(await bruno.delete(`/rules/${id}`, { 'if-match': '"1"' }), { status: 204, body: null })
    t.equal(toRefusal(await bruno.get(`/rules/${id}`)), '404 not_found')
    t.equal(toRefusal(await bruno.delete(`/rules/${id}`)), '404 not_found')
    t.equal((await bruno.put('/rules', ruleOf('gone'))).status, 201)
  })

  await t.test('are listed in the order in which they are tried', async t => {
    const ana = createPerson(app, people.ana, { workspaceId: people.support.workspaceId })
    const put = async (key: string, rest: object) =>
      toRecord(await ana.put('/rules', { ...ruleOf(key), ...rest })).id
    const last = await put('last', { priority: 1000 })
    const middle = [await put('one', {}), await put('two', { enabled: false })]
    const first = await put('first', { priority: 0 })
    const order = [first, ...middle, last]
    t.same(toIds(await ana.get('/rules')).ids, order)
    const walked: string[] = []
    for (let next: string | null = ''; next !== null; ) {
      const page = toIds(await ana.get(`/rules?limit=1${next && `&cursor=${next}`}`))
      walked.push(...page.ids)
      next = page.next
    }
    t.same(walked, order)
    t.same(toIds(await ana.get('/rules?enabled=false')).ids, [middle[1]])
    t.same(toIds(await ana.get('/rules?key=one')).ids, [middle[0]])
    t.equal(toRefusal(await ana.get('/rules?enabled=maybe&name=x')), '400 validation_failed enabled, name')
  })

  await t.test('are as many as a worker can try', async t => {
    const ana = createPerson(app, people.ana, { workspaceId: people.support.workspaceId })
    const { workspaceId, organizationId } = people.support
    await database.pool.query(
      `insert into rules (id, organization_id, workspace_id, key, name, conditions, actions)
      select 'rul_' || lpad(n::text, 26, '0'), $1, $2, 'many ' || n, 'x', '[]', '{}'
      from generate_series(1, $3::int) as n`,
      [organizationId, workspaceId, mostRules - 4],
    )
    t.equal(toRefusal(await ana.put('/rules', ruleOf('one more'))), '409 conflict')
    t.equal((await ana.put('/rules', ruleOf('one'))).status, 200, 'what exists can be changed')
  })
})
