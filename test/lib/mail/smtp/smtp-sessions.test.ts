import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { createTransport } from 'nodemailer'
import tap, { test } from 'tap'
import { eventually, startJobs } from '../../jobs/support/start-jobs.ts'
import { addAddress, listen, readInbox } from './support/listen.ts'
import { makeCertificate } from './support/make-certificate.ts'
import { beginData, connectClient, greetServer } from './support/smtp-client.ts'

const { database, people } = await startJobs(tap)
const address = 'invoices@acme.test'
const inboxId = await addAddress(database, people.billing, { address })
const message = 'Subject: x\r\n\r\nx\r\n.'

test('a message that is too large is refused, as soon as that is known', async t => {
  const { port } = await listen(t, database, { maxMessageBytes: 50_000 })
  const client = await greetServer(t, port)
  t.match(await client.say('MAIL FROM:<a@supplier.test> SIZE=50001'), /^552 5\.3\.4 /, 'before it is sent')
  t.match(await client.say('MAIL FROM:<a@supplier.test> SIZE=x'), /^501 /)

  await beginData(client, address)
  const line = `${'x'.repeat(98)}\r\n`
  client.send(line.repeat(2_000))
  t.match(await client.say('.'), /^552 5\.3\.4 /, 'by a client that said nothing of its size')
  t.same(await readInbox(database, inboxId), [])

  await beginData(client, address)
  client.send(line.repeat(500))
  t.match(await client.say('.'), /^250 /, 'one of exactly that size is taken, in the same session')
  t.equal((await readInbox(database, inboxId)).length, 1)
})

test('messages that together are too much are put off, and their memory is given back', async t => {
  const limits = { memory: 100_000 }
  const { port } = await listen(t, database, { maxMessageBytes: 40_000, limits })
  const clients = await Promise.all(Array.from({ length: 3 }, () => greetServer(t, port)))
  const half = `Subject: x\r\n\r\n${'x'.repeat(35_000)}\r\n`
  const sendAll = async () => {
    for (const client of clients) await beginData(client, address)
    for (const { socket } of clients) await new Promise<void>(resolve => socket.write(half, () => resolve()))
    // None of them has ended its message when the last one has arrived.
    await new Promise(resolve => setTimeout(resolve, 300))
    const replies = await Promise.all(clients.map(client => client.say('.')))
    return replies.map(reply => reply.slice(0, 9)).sort()
  }
  t.same(await sendAll(), ['250 2.6.0', '250 2.6.0', '451 4.3.0'])
  t.same(await sendAll(), ['250 2.6.0', '250 2.6.0', '451 4.3.0'], 'neither more nor less')
})

test('one client too many is sent away', async t => {
  const { port } = await listen(t, database, { maxClients: 2 })
  const first = await greetServer(t, port)
  await greetServer(t, port)
  const third = await connectClient(t, port)
  t.match(await third.reply(), /^421 mx\.inbox\.test /)
  await third.ended()
  await first.say('QUIT')
  t.match(await (await connectClient(t, port)).reply(), /^220 /, 'until another one has left')
})

test('a client that is silent, or that drips, is sent away', async t => {
  const { port } = await listen(t, database, { limits: { idleTimeout: 300 } })
  const before = (await readInbox(database, inboxId)).length
  const silent = await greetServer(t, port)
  t.match(await silent.reply(), /^421 4\.4\.2 /)
  await silent.ended()

  const stuck = await greetServer(t, port)
  await beginData(stuck, address)
  stuck.send('Subject: x\r\n')
  t.match(await stuck.reply(), /^421 4\.4\.2 /, 'also within a message')

  // So long that a machine which is busy elsewhere does not count as silence.
  const patient = await listen(t, database, { limits: { idleTimeout: 30_000, dataTimeout: 600 } })
  const dripping = await greetServer(t, patient.port)
  await beginData(dripping, address)
  const drip = setInterval(() => dripping.send('x'), 50)
  t.teardown(() => clearInterval(drip))
  t.match(await dripping.reply(), /^421 4\.4\.2 mx\.inbox\.test Too slow/, 'also with a byte now and then')
  await dripping.ended()
  t.equal((await readInbox(database, inboxId)).length, before, 'and half a message is none')
})

test('a client that leaves within its message has sent none', async t => {
  const { port } = await listen(t, database)
  const before = (await readInbox(database, inboxId)).length
  const client = await greetServer(t, port)
  await beginData(client, address)
  client.send('Subject: x\r\n\r\nhalf')
  client.socket.destroy()
  const next = await greetServer(t, port)
  await beginData(next, address)
  t.match(await next.say(message), /^250 /)
  t.equal((await readInbox(database, inboxId)).length, before + 1)
})

test('a listener that closes finishes the message under way and sends the others away', async t => {
  const listener = await listen(t, database, { limits: { closeTimeout: 10_000 } })
  const before = (await readInbox(database, inboxId)).length
  const idle = await greetServer(t, listener.port)
  const busy = await greetServer(t, listener.port)
  await beginData(busy, address)
  busy.send('Subject: x\r\n')
  const closed = listener.close()
  t.match(await idle.reply(), /^421 /)
  await t.rejects(connectClient(t, listener.port), { code: 'ECONNREFUSED' }, 'nobody new')
  busy.send('\r\nx\r\n.\r\n')
  t.match(await busy.reply(), /^250 /)
  t.match(await busy.reply(), /^421 /)
  busy.socket.end()
  await closed
  t.equal((await readInbox(database, inboxId)).length, before + 1)

  await t.test('and waits no longer than it may', async t => {
    const listener = await listen(t, database, { limits: { closeTimeout: 300 } })
    const endless = await greetServer(t, listener.port)
    await beginData(endless, address)
    await listener.close()
    t.match(await endless.reply(), /^421 /)
  })
})

test('a session is encrypted where there is a certificate, and a renewed one is used', async t => {
  const folder = t.testdir({})
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
  await t.rejects(listen(t, database, { certificate: files }), { message: /SMTP_TLS_CERT_FILE .*ENOENT/ })
  const old = makeCertificate('mx.inbox.test')
  const renewed = makeCertificate('mx.inbox.test')
  writeFileSync(files.certFile, old.cert)
  writeFileSync(files.keyFile, renewed.key)
  await t.rejects(listen(t, database, { certificate: files }), {
    message: /SMTP_TLS_KEY_FILE .* cannot be used/,
  })
  writeFileSync(files.keyFile, old.key)
  const { port } = await listen(t, database, { certificate: files, certificateInterval: 50 })

  const send = ({ cert }: { cert: string }) =>
    createTransport({
      host: '127.0.0.1',
      port,
      requireTLS: true,
      tls: { ca: cert, servername: 'mx.inbox.test' },
    }).sendMail({ from: 'a@supplier.test', to: address, text: 'x' })
  await t.rejects(send(renewed), { code: 'ESOCKET' }, 'by whoever trusts another one')
  await send(old)
  t.match((await readInbox(database, inboxId)).at(-1)?.raw, / with ESMTPS id /)

  await t.test('what was said in clear before is forgotten', async t => {
    const client = await greetServer(t, port)
    t.match(await client.say('EHLO client.test'), /^250[ -]STARTTLS$/m)
    await client.say('MAIL FROM:<a@supplier.test>')
    client.send('STARTTLS\r\nRCPT TO:<invoices@acme.test>\r\n')
    t.match(await client.reply(), /^220 /)
    client.socket.removeAllListeners('data')
    const secure = connectTls({ socket: client.socket, ca: old.cert, servername: 'mx.inbox.test' })
    const answer = new Promise<string>(resolve => secure.once('data', data => resolve(String(data))))
    secure.write(`RCPT TO:<${address}>\r\n`)
    t.match(await answer, /^503 /)
  })

  await t.test('files renewed one after the other', async t => {
    for (const [file, text] of [
      [files.certFile, renewed.cert],
      [files.keyFile, renewed.key],
    ] as const) {
      writeFileSync(`${file}.new`, text)
      renameSync(`${file}.new`, file)
      await new Promise(resolve => setTimeout(resolve, 200))
    }
    await eventually(() => send(renewed).then(Boolean, () => false))
    await t.rejects(send(old), { code: 'ESOCKET' })
  })
})
