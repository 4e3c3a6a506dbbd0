import { test } from 'tap'
import { startApp } from '../plumbing/start-app.ts'
import { toIds, toRecord, toRefusal } from '../resources/answers.ts'
import { createPerson } from '../resources/person.ts'

test('inboxes', async t => {
  const { app, people } = await startApp(t)
  const workspaceId = people.billing.workspaceId
  const vera = createPerson(app, people.vera, { workspaceId })
  const bruno = createPerson(app, people.bruno)
  const bia = createPerson(app, people.bia)
  const reader = createPerson(app, people.bia, { scopes: ['inboxes:read', 'emails:write'] })
  const leo = createPerson(app, people.leo)

  await t.test('are not written by viewers and operators, nor with a token that only reads', async t => {
    const { id } = toRecord(await bia.post('/inboxes', { address: 'guarded@acme.test', name: 'Guarded' }))
    for (const [person, refusal] of [
      [vera, '403 forbidden'],
      [bruno, '403 forbidden'],
      [reader, '403 insufficient_scope'],
    ] as const) {
      t.equal(toRefusal(await person.post('/inboxes', { address: 'x@acme.test', name: 'X' })), refusal)
      t.equal(toRefusal(await person.put('/inboxes', { address: 'guarded@acme.test', name: 'X' })), refusal)
      t.equal(toRefusal(await person.patch(`/inboxes/${id}`, { name: 'X' })), refusal)
      t.equal(toRefusal(await person.delete(`/inboxes/${id}`)), refusal)
      t.match(toRecord(await person.get(`/inboxes/${id}`)), { name: 'Guarded', version: 1 })
    }
  })

  await t.test('are refused with members that are unknown or wrong, by name', async t => {
    const valid = { address: 'ok@acme.test', name: 'OK' }
    const refused: [object, string][] = [
      [{}, 'address, name'],
      [{ address: valid.address }, 'name'],
      [{ ...valid, id: 'inb_1', sender_policy: 'anyone', version: 7 }, 'id, sender_policy, version'],
      [{ ...valid, name: ' ' }, 'name'],
      [{ ...valid, name: 'a\nb' }, 'name'],
      [{ ...valid, name: 'x'.repeat(101) }, 'name'],
      [{ ...valid, description: 'a\u0000' }, 'description'],
      [{ ...valid, status: 'off' }, 'status'],
      [{ ...valid, retention_days: 0 }, 'retention_days'],
      [{ ...valid, retention_days: 1.5 }, 'retention_days'],
      [{ ...valid, retention_days: '30' }, 'retention_days'],
    ]
    const addresses = [
      'acme.test',
      '@acme.test',
      'a@acme',
      'a@-acme.test',
      'a@acme..test',
      '.a@acme.test',
      'a..b@acme.test',
      'a b@acme.test',
      'a@b@acme.test',
      'a@acme.test\n',
      '"a"@acme.test',
      'a@[127.0.0.1]',
      'ä@acme.test',
      `${'a'.repeat(65)}@acme.test`,
      `a@${'a'.repeat(64)}.test`,
      `a@${'a.'.repeat(130)}test`,
    ]
    // A line break at the end goes with the blanks, as with every line of text.
    const wrong = addresses.filter(address => address !== 'a@acme.test\n')
    refused.push(...wrong.map((address): [object, string] => [{ ...valid, address }, 'address']))
    for (const [body, names] of refused) {
      const what = JSON.stringify(body).slice(0, 80)
      t.equal(toRefusal(await bia.post('/inboxes', body)), `400 validation_failed ${names}`, what)
      t.equal(toRefusal(await bia.put('/inboxes', body)), `400 validation_failed ${names}`, what)
    }
    t.same(toIds(await bia.get('/inboxes?address=ok@acme.test')).ids, [])
    t.equal(toRefusal(await bia.get('/inboxes?sort=name')), '400 validation_failed sort')
  })

  await t.test('have addresses that nobody else has, and do not say who has one', async t => {
    const ours = { address: 'Taken@Acme.test', name: 'Ours' }
    const taken = toRecord(await bia.post('/inboxes', ours))
    t.equal(taken.address, 'taken@acme.test')
    const other = toRecord(await bia.post('/inboxes', { address: 'other@acme.test', name: 'Other' }))
    const answers = [
      await bia.post('/inboxes', { address: 'TAKEN@acme.test', name: 'Again' }),
      await bia.patch(`/inboxes/${other.id}`, { address: 'taken@acme.test' }),
      await leo.post('/inboxes', { address: 'taken@acme.test', name: 'Theirs' }),
      await leo.put('/inboxes', { address: 'taken@acme.test', name: 'Theirs' }),
    ]
    for (const answer of answers) {
      t.equal(toRefusal(answer), '409 conflict')
      t.notMatch(JSON.stringify(answer.body), /acme|org_|wsp_|inb_|billing/i)
    }
    t.match(toRecord(await bia.get(`/inboxes/${taken.id}`)), { name: 'Ours', version: 1 })
  })

  await t.test('are created, read, changed and listed', async t => {
    const created = await bia.post('/inboxes', {
      address: 'new@acme.test',
      name: ' New ',
      description: 'Two\nlines',
      retention_days: 30,
    })
    const { id } = toRecord(created)
    t.match(created, { status: 201, headers: { etag: '"1"', location: `/api/v1/inboxes/${id}` } })
    t.match(toRecord(created), {
      name: 'New',
      description: 'Two\nlines',
      status: 'active',
      sender_policy: 'anyone',
      retention_days: 30,
      version: 1,
    })
    t.same((await vera.get(`/inboxes/${id}`)).body, created.body)

    const stale = await bia.patch(`/inboxes/${id}`, { name: 'Stale' }, { 'if-match': '"2"' })
    t.equal(toRefusal(stale), '412 precondition_failed')
    const changed = await bia.patch(`/inboxes/${id}`, { description: null }, { 'if-match': '"1"' })
    t.match(changed, { status: 200, headers: { etag: '"2"' } })
    t.match(toRecord(changed), { name: 'New', description: null, retention_days: 30, version: 2 })
    t.match(toRecord(await bia.patch(`/inboxes/${id}`, { name: 'New' })), { version: 2 })
    t.equal(toRefusal(await bia.patch(`/inboxes/${id}`, {})), '400 validation_failed')

    t.same(toIds(await vera.get('/inboxes?address=NEW@acme.test')).ids, [id])
    await bia.patch(`/inboxes/${id}`, { status: 'paused' })
    t.same(toIds(await vera.get('/inboxes?status=paused')).ids, [id])
  })

  await t.test('are walked page by page, newest first', async t => {
    const all = toIds(await vera.get('/inboxes?limit=100')).ids
    const walked: string[] = []
    let next: string | null = ''
    while (next !== null) {
      const cursor: string = next && `&cursor=${encodeURIComponent(next)}`
      const page = toIds(await vera.get(`/inboxes?limit=1${cursor}`))
      walked.push(...page.ids)
      next = page.next
    }
    t.ok(all.length > 3)
    t.same(walked, all)
    t.same([...all].sort().reverse(), all)
  })

  await t.test('are created once per idempotency key', async t => {
    const body = { address: 'once@acme.test', name: 'Once' }
    const headers = { 'idempotency-key': 'create-once' }
    const [first, ...others] = await Promise.all([1, 2, 3].map(() => bia.post('/inboxes', body, headers)))
    t.equal(first?.status, 201)
    for (const other of others) t.same([other.status, other.body], [201, first?.body])
    const refused = await bia.post('/inboxes', { ...body, name: 'Twice' }, headers)
    t.equal(toRefusal(refused), '422 idempotency_key_reused')
    t.equal(toIds(await bia.get('/inboxes?address=once@acme.test')).ids.length, 1)
  })

  await t.test('are deleted, and leave their address to others', async t => {
    const address = 'freed@acme.test'
    const { id } = toRecord(await bia.post('/inboxes', { address, name: 'Freed' }))
    t.equal(toRefusal(await bia.delete(`/inboxes/${id}`, { 'if-match': '"9"' })), '412 precondition_failed')
    t.match(await bia.delete(`/inboxes/${id}`, { 'if-match': '"1"' }), { status: 204, body: null })
    t.equal(toRefusal(await bia.get(`/inboxes/${id}`)), '404 not_found')
    t.equal(toRefusal(await bia.patch(`/inboxes/${id}`, { name: 'X' })), '404 not_found')
    t.equal(toRefusal(await bia.delete(`/inboxes/${id}`)), '404 not_found')
    const theirs = await leo.put('/inboxes', { address, name: 'Theirs' })
    t.equal(theirs.status, 201)
    t.not(toRecord(theirs).id, id)
  })
})
