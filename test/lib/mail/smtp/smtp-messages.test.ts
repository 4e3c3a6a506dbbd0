import { createTransport } from 'nodemailer'
import tap, { test } from 'tap'
import type { Database } from '../../../../lib/database/database.ts'
import { startJobs } from '../../jobs/support/start-jobs.ts'
import { addAddress, listen, readInbox } from './support/listen.ts'
import { beginData, greetServer } from './support/smtp-client.ts'

const { database, people } = await startJobs(tap)
const { port } = await listen(tap, database)
const transport = createTransport({ host: '127.0.0.1', port, name: 'client.test' })

let made = 0
function makeInbox(tenant = people.billing, domain = 'acme.test') {
  made += 1
  const address = `inbox-${made}@${domain}`
  return addAddress(database, tenant, { address }).then(id => ({ id, address }))
}

test('a message is stored with its bytes behind the trace of how it came, and will be read', async t => {
  const { id, address } = await makeInbox()
  const text = 'Olá,\r\n.\r\n..\r\nsegue a fatura.'
  const info = await transport.sendMail({
    envelope: { from: 'bounce@supplier.test', to: [address.toUpperCase()] },
    raw: `From: carla@supplier.test\r\nMessage-ID: <1@supplier.test>\r\n\r\n${text}\r\n`,
  })
  t.match(info.response, /^250 2\.6\.0 Stored as \w+\.1$/)
  const [stored, ...more] = await readInbox(database, id)
  t.same(more, [])
  const [, trace = '', message] = /^(.*?)(From: .*)$/s.exec(stored?.raw ?? '') ?? []
  t.match(
    trace,
    /^Return-Path: <bounce@supplier\.test>\r\nReceived: from client\.test \(\[127\.0\.0\.1\]\)\r\n/,
  )
  t.ok(trace.includes(`\tby mx.inbox.test with ESMTP id ${info.response.slice(20)}\r\n\tfor <${address}>; `))
  t.match(trace, /; \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000\r\n$/)
  t.equal(
    Buffer.from(message ?? '', 'latin1').toString(),
    `From: carla@supplier.test\r\nMessage-ID: <1@supplier.test>\r\n\r\n${text}\r\n`,
  )
  t.match(stored, {
    ...people.billing,
    envelopeFrom: 'bounce@supplier.test',
    messageId: '1@supplier.test',
    sizeBytes: stored?.raw.length ?? 0,
    operations: [{ status: 'queued', created_by: null }],
  })
})

test('a bounce, which has no sender, is taken in', async t => {
  const { id, address } = await makeInbox()
  const client = await greetServer(t, port)
  await client.say('MAIL FROM:<>')
  await client.say(`RCPT TO:<${address}>`)
  await client.say('DATA')
  t.match(await client.say('Subject: Undelivered\r\n\r\nx\r\n.'), /^250 /)
  const [stored] = await readInbox(database, id)
  t.equal(stored?.envelopeFrom, null)
  t.match(stored?.raw, /^Return-Path: <>\r\n/)
})

test('recipients of several tenants each get their own e-mail, and do not learn of each other', async t => {
  const inboxes = [
    { ...(await makeInbox()), tenant: people.billing },
    { ...(await makeInbox()), tenant: people.billing },
    { ...(await makeInbox(people.support)), tenant: people.support },
    { ...(await makeInbox(people.main, 'globex.test')), tenant: people.main },
  ]
  const to = inboxes.map(({ address }) => address)
  const raw = 'Subject: all\r\nMessage-ID: <all@supplier.test>\r\n\r\nx'
  await transport.sendMail({ envelope: { from: 'a@supplier.test', to }, raw })
  for (const { id, address, tenant } of inboxes) {
    const stored = await readInbox(database, id)
    t.match(stored, [{ ...tenant, operations: [{ status: 'queued' }] }])
    t.same(stored[0]?.raw.match(/[\w-]+@(acme|globex)\.test/g), [address])
  }
})

test('one unknown recipient does not keep the others from their mail', async t => {
  const { id, address } = await makeInbox()
  const to = ['nobody@acme.test', address]
  const info = await transport.sendMail({
    envelope: { from: 'a@supplier.test', to },
    raw: 'Subject: x\r\n\r\nx',
  })
  t.same(info.rejected, ['nobody@acme.test'])
  t.equal((await readInbox(database, id)).length, 1)
})

test('the same message again is accepted and stored once', async t => {
  const { id, address } = await makeInbox()
  const mail = { from: 'a@supplier.test', to: address, messageId: '<same@supplier.test>', text: 'x' }
  await transport.sendMail(mail)
  t.match((await transport.sendMail(mail)).response, /^250 /)
  t.equal((await readInbox(database, id)).length, 1)

  await t.test('also when it comes at once, to two listeners', async t => {
    const second = await listen(t, database)
    const other = createTransport({ host: '127.0.0.1', port: second.port })
    const twin = { ...mail, messageId: '<twin@supplier.test>' }
    const all = await Promise.all(
      Array.from({ length: 6 }, (_, index) => (index % 2 ? transport : other).sendMail(twin)),
    )
    for (const { response } of all) t.match(response, /^250 /)
    const stored = await readInbox(database, id)
    t.equal(stored.filter(({ messageId }) => messageId === 'twin@supplier.test').length, 1)
    t.equal(stored.length, 2)
    t.ok(stored.every(({ operations }) => operations.length === 1))
  })
})

test('eight bits and UTF-8 headers arrive as they were sent', async t => {
  const { id, address } = await makeInbox()
  const client = await greetServer(t, port)
  t.match(await client.say('MAIL FROM:<josé@supplier.test> BODY=8BITMIME SMTPUTF8'), /^250 /)
  await client.say(`RCPT TO:<${address}>`)
  await client.say('DATA')
  const message = Buffer.concat([
    Buffer.from('Subject: Olá\r\nContent-Type: application/x\r\n\r\n'),
    Buffer.from(Array.from({ length: 256 }, (_, byte) => byte).filter(byte => byte !== 10 && byte !== 13)),
  ])
  client.send(message)
  t.match(await client.say('\r\n.'), /^250 /)
  const [stored] = await readInbox(database, id)
  t.equal(stored?.envelopeFrom, 'josé@supplier.test')
  t.ok(stored?.raw.endsWith(`${message.toString('latin1')}\r\n`))
})

test('an empty message is refused', async t => {
  const { id, address } = await makeInbox()
  const client = await greetServer(t, port)
  await beginData(client, address)
  t.match(await client.say('.'), /^554 5\.6\.0 /)
  t.same(await readInbox(database, id), [])
})

test('a message ends with CRLF.CRLF and with nothing that looks like it', async t => {
  const { id, address } = await makeInbox()
  const smuggled = `MAIL FROM:<admin@acme.test>\r\nRCPT TO:<${address}>\r\nDATA\r\nSubject: smuggled\r\n\r\nx`
  const ends = ['\n.\n', '\n.\r\n', '\r.\r', '\r\n.\n', '\r\n.\r', '\r.\r\n', '\n\n.\r\n', '\r\n\0.\r\n']
  for (const [index, end] of ends.entries()) {
    const client = await greetServer(t, port)
    await beginData(client, address)
    const message = `Subject: outer\r\nMessage-ID: <${index}@smuggler.test>\r\n\r\nx${end}${smuggled}`
    // In pieces, too, at every place around the dot: what ends a message must not depend on packets.
    for (const piece of [message.slice(0, 60), ...message.slice(60, 72), message.slice(72)]) {
      client.send(piece)
      await new Promise(resolve => setTimeout(resolve, 1))
    }
    t.match(await client.say('\r\n.'), /^250 /, JSON.stringify(end))
    t.match(await client.say('NOOP'), /^250 2\.0\.0 /, 'that was the only reply')
    const stored = await readInbox(database, id)
    t.equal(stored.length, index + 1, 'one message')
    t.match(stored.at(-1)?.raw, smuggled)
  }
})

test('a client that goes on before the answer gets them in order', async t => {
  const { id, address } = await makeInbox()
  const client = await greetServer(t, port)
  client.send(`MAIL FROM:<a@supplier.test>\r\nRCPT TO:<nobody@acme.test>\r\nRCPT TO:<${address}>\r\nDATA\r\n`)
  const replies = [await client.reply(), await client.reply(), await client.reply(), await client.reply()]
  t.same(
    replies.map(reply => reply.slice(0, 3)),
    ['250', '550', '250', '354'],
  )
  client.send('Subject: 1\r\n\r\nx\r\n.\r\nMAIL FROM:<b@supplier.test>\r\n')
  t.match(await client.reply(), /^250 2\.6\.0 /)
  t.match(await client.reply(), /^250 2\.1\.0 /)
  t.equal((await readInbox(database, id)).length, 1)
})

test('what the client calls itself cannot write into the header', async t => {
  const { id, address } = await makeInbox()
  const client = await greetServer(t, port)
  await client.say('EHLO x)(y;for<a@b.test>é')
  await beginData(client, address)
  await client.say('Subject: x\r\n\r\nx\r\n.')
  const [stored] = await readInbox(database, id)
  t.match(stored?.raw, /\r\nReceived: from x\?\?y\?for\?a\?b\.test\?\? \(\[127\.0\.0\.1\]\)\r\n/)
})

test('what goes wrong here puts the sender off, who then brings each recipient one e-mail', async t => {
  const inboxes = [await makeInbox(), await makeInbox(people.main, 'globex.test')]
  const to = inboxes.map(({ address }) => address)
  const raw = 'Subject: x\r\nMessage-ID: <halfway@supplier.test>\r\n\r\nx'
  const send = (port: number) =>
    createTransport({ host: '127.0.0.1', port }).sendMail({ envelope: { from: 'a@supplier.test', to }, raw })
  const counts = async () =>
    (await Promise.all(inboxes.map(({ id }) => readInbox(database, id)))).map(all => all.length)

  const noLookup = await greetServer(t, (await listen(t, failing('asOwner', 1))).port)
  await noLookup.say('MAIL FROM:<a@supplier.test>')
  t.match(await noLookup.say(`RCPT TO:<${to[0]}>`), /^451 4\.3\.0 /)
  t.match(await noLookup.say(`RCPT TO:<${to[0]}>`), /^250 /, 'and it recovers')
  const noStore = await listen(t, failing('inTenant', 1))
  await t.rejects(send(noStore.port), { message: /451 4\.3\.0 This server is in trouble/ })
  t.same(await counts(), [0, 0], 'nothing was stored')

  const half = await listen(t, failing('inTenant', 2))
  await t.rejects(send(half.port), { message: /451 4\.3\.0 / }, 'halfway')
  t.same(await counts(), [1, 0])
  t.match((await send(half.port)).response, /^250 /)
  t.same(await counts(), [1, 1])

  await t.test('also where an inbox was closed after its address was accepted', async t => {
    for (const [change, code] of [
      [`status = 'paused'`, 450],
      ['deleted_at = now()', 550],
    ] as const) {
      const { id, address } = await makeInbox()
      const client = await greetServer(t, port)
      await beginData(client, address)
      await database.pool.query(`update inboxes set ${change} where id = $1`, [id])
      t.match(await client.say('Subject: x\r\n\r\nx\r\n.'), new RegExp(`^${code} `))
    }
  })
})

/** The database, of which one call, the first or a later one, fails as if its server went away. */
function failing(name: 'asOwner' | 'inTenant', which: number): Database {
  let calls = 0
  return new Proxy(database, {
    get(target, property, receiver) {
      if (property === name && ++calls === which) {
        return () => Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }))
      }
      return Reflect.get(target, property, receiver)
    },
  })
}
