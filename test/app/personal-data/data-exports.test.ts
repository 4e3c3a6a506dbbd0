import { test } from 'tap'
import { recordOf } from '../audit/audit-events.ts'
import { bearer, startApp } from '../plumbing/start-app.ts'
import { createPerson } from '../resources/person.ts'
import { storeEmail } from '../resources/store-email.ts'
import { insertInbox } from '../support/insert-email.ts'
import { carla, cpf, type Line, readExport, storeMail } from './subjects.ts'

test('the export of what is held about somebody', async t => {
  const { app, database, people } = await startApp(t)
  const { billing, support } = people
  const inboxId = await insertInbox(database, billing)
  const ids = await storeMail(database, billing, inboxId)
  const ofType = (lines: readonly Line[], type: string) =>
    lines.filter(line => line.type === type).map(({ data }) => data)
  const idsOf = (lines: readonly Line[]) => ofType(lines, 'email').map(({ id }) => id)

  await t.test('is for admins, with a token for e-mails and for the audit trail', async t => {
    const body = { address: carla }
    for (const who of [people.bruno, people.vera]) {
      const options = { body, workspaceId: billing.workspaceId }
      t.equal((await readExport(app, who, options)).status, 403)
    }
    for (const scopes of [['emails:read'], ['audit:read'], ['emails:write', 'members:write']]) {
      t.equal((await readExport(app, people.bia, { body, scopes })).status, 403, scopes.join(' '))
    }
  })

  await t.test('names one subject, and one that can be', async t => {
    const bodies = [
      {},
      { address: carla, document: cpf },
      { address: 'carla' },
      { address: '@supplier.test' },
      { document: '52998224724' },
      { document: 'x' },
      { address: carla, more: true },
    ]
    for (const body of bodies) {
      t.equal((await readExport(app, people.bia, { body })).status, 400, JSON.stringify(body))
    }
  })

  await t.test('finds nothing of another workspace or organization', async t => {
    const strangers = [
      { who: people.leo, options: {} },
      { who: people.ana, options: { workspaceId: support.workspaceId } },
    ]
    for (const { who, options } of strangers) {
      for (const body of [{ address: carla }, { document: cpf }]) {
        const { status, lines } = await readExport(app, who, { ...options, body })
        t.equal(status, 200)
        t.same(
          lines.map(({ type }) => type),
          ['export', 'end'],
        )
      }
    }
    const other = { body: { address: carla }, workspaceId: billing.workspaceId }
    t.equal((await readExport(app, people.leo, other)).status, 404)
  })

  await t.test('of an address has every e-mail from it and to it, whole', async t => {
    const answer = await readExport(app, people.bia, { body: { address: ' Carla@SUPPLIER.test ' } })
    t.match(answer.headers, {
      'content-type': /^application\/x-ndjson/,
      'cache-control': 'no-store',
      'content-disposition': /^attachment/,
    })
    const { lines } = answer
    const theirs = [ids.fromHer, ids.toHer, ids.byEnvelope, ids.deleted].sort()
    t.same(idsOf(lines), theirs)
    t.ok(ofType(lines, 'email').find(({ id }) => id === ids.deleted)?.deleted_at, 'a deleted one says so')
    const of = (type: string) =>
      ofType(lines, type).find(({ email_id }) => email_id === ids.fromHer) ?? { base64: '' }
    t.equal(Buffer.from(String(of('email_raw').base64), 'base64').toString(), 'from her')
    t.match(of('email_text'), { text: 'text of from her', offset: 0 })
    t.match(of('event'), { type: 'email.processed' })
    const [attachment] = ofType(lines, 'attachment')
    const [content] = ofType(lines, 'attachment_content')
    t.equal(content?.attachment_id, attachment?.id)
    t.equal(Buffer.from(String(content?.base64), 'base64').toString(), 'her file')
    t.match(lines[0], { type: 'export', data: { format: 1, subject: { address: carla } } })
    t.same(lines.at(-1), { type: 'end', data: { lines: lines.length - 1, emails: 4 } })
    t.notMatch(answer.text, ids.unrelated)
  })

  await t.test('takes no notice of an idempotency key: it changes nothing, and is not kept', async t => {
    for (const _ of ['first', 'again']) {
      const response = await app.inject({
        method: 'POST',
        url: '/api/v1/data-exports',
        headers: { ...bearer(people.bia), 'idempotency-key': 'export' },
        payload: { address: carla },
      })
      t.equal(response.statusCode, 200)
      t.notOk(response.headers['idempotency-replayed'])
      t.match(response.payload, /"type":"end"/)
    }
  })

  await t.test('of a document has the e-mails that it was extracted from', async t => {
    const { lines } = await readExport(app, people.bia, { body: { document: '529.982.247-25' } })
    t.same(idsOf(lines), [ids.withCpf])
    t.match(ofType(lines, 'extraction'), [{ kind: 'cpf', value: cpf }])
  })

  await t.test('of a person of the workspace has their role, and what they did', async t => {
    const bia = createPerson(app, people.bia)
    await bia.put(`/inboxes/${inboxId}/allowed-senders`, { patterns: ['bia@acme.test'] })
    const conditions = [{ field: 'from', operator: 'equals', value: 'Bia@acme.test' }]
    await bia.put('/rules', { key: 'bia', name: 'Bia', conditions, actions: { notify: true } })
    const { lines } = await readExport(app, people.bia, { body: { address: 'bia@acme.test' } })
    t.match(ofType(lines, 'member'), [{ id: people.bia, role: 'admin' }])
    t.match(ofType(lines, 'allowed_sender'), [{ inbox_id: inboxId }])
    t.match(ofType(lines, 'rule'), [{ key: 'bia' }])
    const actions = ofType(lines, 'audit_event').map(({ action }) => action)
    t.ok(actions.includes('rules_upsert') && actions.includes('data_exports_create'))
    t.ok(ofType(lines, 'audit_event').every(({ actor_id }) => actor_id === people.bia))
    const ofOther = await readExport(app, people.leo, { body: { address: 'bia@acme.test' } })
    t.equal(ofOther.lines.length, 2, 'and to another organization is nobody')
  })

  await t.test('has what names the address whole, however its domain is written', async t => {
    const bia = createPerson(app, people.bia)
    const written = await storeEmail(database, billing, { inboxId, from: 'rui@xn--mnchen-3ya.test' })
    const read = await storeEmail(database, billing, { inboxId, from: 'rui@münchen.test' })
    const condition = (value: string) => [{ field: 'text', operator: 'contains', value }]
    const actions = { notify: true }
    const rule = { name: 'Rui', actions }
    await bia.put('/rules', { ...rule, key: 'his', conditions: condition('call Rui@München.test') })
    await bia.put('/rules', { ...rule, key: 'longer', conditions: condition('xrui@münchen.test') })
    for (const address of ['rui@münchen.test', 'rui@xn--mnchen-3ya.test']) {
      const { lines } = await readExport(app, people.bia, { body: { address } })
      t.same(idsOf(lines), [written, read].sort(), address)
      t.match(ofType(lines, 'rule'), [{ key: 'his' }])
      t.equal(ofType(lines, 'rule').length, 1)
    }
  })

  await t.test('is on record, without whose data it was', async t => {
    const work = () => readExport(app, people.bia, { body: { address: carla } })
    const events = await recordOf({ app, database }, work)
    t.match(events, [{ actor_id: people.bia, action: 'data_exports_create', outcome: 'succeeded' }])
    t.notMatch(JSON.stringify(events), /carla/)
  })

  await t.test('gives large texts and bytes in pieces that join', async t => {
    const raw = Buffer.alloc(2_000_000, 'abcdefg\n')
    await database.inTenant(billing, async trx => {
      await trx.updateTable('email_sources').where('email_id', '=', ids.withCpf).set({ raw }).execute()
      const text = 'é'.repeat(600_000)
      await trx.updateTable('email_texts').where('email_id', '=', ids.withCpf).set({ text }).execute()
    })
    const { lines } = await readExport(app, people.bia, { body: { document: cpf } })
    const pieces = ofType(lines, 'email_raw')
    t.same(
      pieces.map(({ offset }) => offset),
      [0, 786_432, 1_572_864],
    )
    const joined = pieces.map(({ base64 }) => String(base64)).join('')
    t.ok(Buffer.from(joined, 'base64').equals(raw))
    const text = ofType(lines, 'email_text').map(piece => String(piece.text))
    t.equal(text.length, 3)
    t.equal(text.join(''), 'é'.repeat(600_000))
  })
})
