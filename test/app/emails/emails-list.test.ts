import { test } from 'tap'
import type { Tenant } from '../../../lib/database/database.ts'
import { createId } from '../../../lib/id/id.ts'
import { startApp } from '../plumbing/start-app.ts'
import { toIds, toRefusal } from '../resources/answers.ts'
import { createPerson } from '../resources/person.ts'
import { storeEmail } from '../resources/store-email.ts'
import { alter } from '../support/alter.ts'
import { insertInbox } from '../support/insert-email.ts'

test('a list of e-mails', async t => {
  const { app, database, people } = await startApp(t)
  const { billing, support } = people
  const vera = createPerson(app, people.vera, { workspaceId: billing.workspaceId })
  const inboxId = await insertInbox(database, billing)
  const store = (more: Partial<Parameters<typeof storeEmail>[2]>) =>
    storeEmail(database, billing, { inboxId, ...more })

  await t.test('refuses what it does not know and what it cannot read, by name', async t => {
    const refused = {
      'limit=0': 'limit',
      'limit=101': 'limit',
      'limit=': 'limit',
      'limit=1e1': 'limit',
      'limit=5&limit=6': 'limit',
      'colour=red': 'colour',
      'colour=red&limit=x': 'limit, colour',
      'status=done': 'status',
      'status=failed&status=received': 'status',
      'inbox_id=invoices@acme.test': 'inbox_id',
      'inbox_id=eml_00000000000000000000000000': 'inbox_id',
      'from=acme': 'from',
      'has_attachments=1': 'has_attachments',
      'has_attachments=': 'has_attachments',
      'received_after=yesterday': 'received_after',
      'received_after=2026-02-30T00:00:00Z': 'received_after',
      'received_before=2026-02-28': 'received_before',
      'received_before=2026-02-28T00:00:00': 'received_before',
      'received_before=2026-02-28T00:00:00%2B16:00': 'received_before',
      'received_before=0000-01-01T00:00:00Z': 'received_before',
      'received_before=2026-02-28T00:00:60Z': 'received_before',
      'label=': 'label',
      'q=%00': 'q',
      [`q=${'x'.repeat(201)}`]: 'q',
      'cursor=abc': 'cursor',
      'cursor=': 'cursor',
      '__proto__=1': '__proto__',
      'constructor=1': 'constructor',
    }
    for (const [query, names] of Object.entries(refused)) {
      const refusal = toRefusal(await vera.get(`/emails?${query}`))
      t.equal(refusal, `400 validation_failed ${names}`, query.slice(0, 60))
    }
  })

  await t.test('refuses cursors of other lists', async t => {
    for (let count = 0; count < 3; count++) await store({ labels: ['walk'] })
    const { next } = toIds(await vera.get('/emails?label=walk&limit=1'))
    if (next === null) throw new Error('there are three e-mails and a page of one')
    const inSupport = createPerson(app, people.vera, { workspaceId: support.workspaceId })
    const cursor = encodeURIComponent(next)

    t.equal(toIds(await vera.get(`/emails?label=walk&limit=2&cursor=${cursor}`)).ids.length, 2)
    const refused = [
      await vera.get(`/emails?cursor=${cursor}`),
      await vera.get(`/emails?label=other&cursor=${cursor}`),
      await vera.get(`/emails?label=walk&read=true&cursor=${cursor}`),
      await vera.get(`/operations?cursor=${cursor}`),
      await inSupport.get(`/emails?label=walk&cursor=${cursor}`),
      await vera.get(`/emails?label=walk&cursor=${cursor}%0A`),
      await vera.get(`/emails?label=walk&cursor=${cursor}%3D`),
      await vera.get(`/emails?label=walk&cursor=${alter(cursor, 0)}`),
      await vera.get(`/emails?label=walk&cursor=${'A'.repeat(500)}`),
      await vera.get(`/emails?label=walk&cursor=${'A'.repeat(501)}`),
    ]
    for (const answer of refused) t.match(toRefusal(answer), /^400 validation_failed .*(cursor|read)/)
  })

  await t.test('shows no e-mail of another workspace or organization', async t => {
    const theirs = await storeEmail(database, support, { inboxId: await insertInbox(database, support) })
    const leo = createPerson(app, people.leo)
    const mine = toIds(await vera.get('/emails?limit=100')).ids
    t.ok(mine.length > 0)
    t.notOk(mine.includes(theirs))
    t.same(toIds(await leo.get('/emails')), { ids: [], next: null })
    t.same(toIds(await leo.get(`/emails?inbox_id=${inboxId}`)), { ids: [], next: null })
  })

  await t.test('narrows by every filter, and by all of them together', async t => {
    const other = await insertInbox(database, billing)
    const wanted = await store({
      inboxId: other,
      status: 'failed',
      from: 'joe@bank.example',
      labels: ['late', 'paid'],
      words: 'Segunda via do boleto de São Paulo',
      receivedAt: '2020-05-05T05:05:05.005Z',
      hasAttachments: true,
    })
    await store({ from: 'joe@evilbank.example', labels: ['Late'], receivedAt: '2020-05-05T05:05:06Z' })
    const filters = [
      'status=failed',
      `inbox_id=${other}`,
      'from=JOE@bank.example',
      'from=@Bank.Example',
      'label=late',
      'q=boleto%20sao',
      'received_before=2020-05-05T02:05:05.006-03:00',
      'received_before=2020-05-05T05:05:06Z&received_after=2020-05-05T05:05:05.005Z',
      'has_attachments=true',
    ]
    for (const filter of [...filters, filters.filter(one => !/from=@|after/.test(one)).join('&')]) {
      t.same(toIds(await vera.get(`/emails?${filter}`)).ids, [wanted], filter)
    }
    t.notOk(toIds(await vera.get('/emails?has_attachments=false&limit=100')).ids.includes(wanted))
    t.same(toIds(await vera.get(`/emails?status=processed&inbox_id=${other}`)).ids, [])
    t.same(toIds(await vera.get(`/emails?q=${encodeURIComponent("boleto' | 'x")}`)).ids, [])
  })

  await t.test('is walked without gaps and repeats while mail arrives and goes', async t => {
    const tenant: Tenant = support
    const walker = createPerson(app, people.ana, { workspaceId: tenant.workspaceId })
    const inbox = await insertInbox(database, tenant)
    const times = ['2026-01-01T00:00:00.001Z', '2026-01-01T00:00:00.002Z', '2026-01-01T00:00:00.003Z']
    const stored: string[] = []
    for (let count = 0; count < 25; count++) {
      const receivedAt = times[count % 3] ?? ''
      stored.push(await storeEmail(database, tenant, { inboxId: inbox, receivedAt, labels: ['walk'] }))
    }
    const seen: string[] = []
    let next: string | null = ''
    for (let limit = 1; next !== null; limit = (limit % 4) + 1) {
      const cursor: string = next && `&cursor=${encodeURIComponent(next)}`
      const page = toIds(await walker.get(`/emails?label=walk&limit=${limit}${cursor}`))
      seen.push(...page.ids)
      next = page.next
      // Newer than all, and then gone again: neither is on the way.
      const receivedAt = '2026-06-01T00:00:00Z'
      const late = await storeEmail(database, tenant, { inboxId: inbox, receivedAt, labels: ['walk'] })
      if (limit === 2) await walker.delete(`/emails/${late}`)
    }
    t.equal(new Set(seen).size, seen.length, 'no e-mail comes twice')
    t.same([...seen].sort(), [...stored].sort(), 'every e-mail comes')
  })

  await t.test('gives the same bytes and cursors each time', async t => {
    const first = await vera.get('/emails?limit=2')
    const again = await vera.get('/emails?limit=2')
    t.same(again.body, first.body)
    t.ok(toIds(first).next)
  })

  await t.test('hides the e-mails of a deleted inbox at once', async t => {
    const ana = createPerson(app, people.ana, { workspaceId: billing.workspaceId })
    const doomed = await insertInbox(database, billing)
    const id = await store({ inboxId: doomed })
    t.same(toIds(await ana.get(`/emails?inbox_id=${doomed}`)).ids, [id])
    t.equal((await ana.delete(`/inboxes/${doomed}`)).status, 204)
    t.same(toIds(await ana.get(`/emails?inbox_id=${doomed}`)).ids, [])
    t.notOk(toIds(await ana.get('/emails?limit=100')).ids.includes(id))
    t.equal(toRefusal(await ana.get(`/emails/${id}`)), '404 not_found')
  })

  await t.test('takes an inbox that does not exist for one without e-mails', async t => {
    t.same(toIds(await vera.get(`/emails?inbox_id=${createId('inb')}`)), { ids: [], next: null })
  })
})
