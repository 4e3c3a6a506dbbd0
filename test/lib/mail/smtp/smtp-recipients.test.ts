import tap, { test } from 'tap'
import { startJobs } from '../../jobs/support/start-jobs.ts'
import { addAddress, listen, readInbox } from './support/listen.ts'
import { connectClient, greetServer } from './support/smtp-client.ts'

const { database, people } = await startJobs(tap)
const { port } = await listen(tap, database, { limits: { maxRecipients: 2, maxUnknown: 3 } })
const inbox = await addAddress(database, people.billing, { address: 'invoices@acme.test' })
const paused = await addAddress(database, people.billing, { address: 'paused@acme.test', status: 'paused' })
await addAddress(database, people.main, { address: 'mail@globex.test' })
await addAddress(database, people.main, { address: 'third@globex.test' })
await addAddress(database, people.main, { address: 'post@xn--mller-kva.test' })

test('the server names itself, and what it can do, and no product', async t => {
  const client = await connectClient(t, port)
  t.equal(await client.reply(), '220 mx.inbox.test ESMTP')
  const extensions = (await client.say('EHLO client.test')).split('\n').map(line => line.slice(4))
  t.same(extensions, [
    'mx.inbox.test',
    'PIPELINING',
    '8BITMIME',
    'SMTPUTF8',
    'ENHANCEDSTATUSCODES',
    'SIZE 100000',
  ])
  t.match(await client.say('NOOP'), /^250 2/)
  t.match(await client.say('QUIT'), /^221 /)
  await client.ended()
})

test('nobody signs in, and toys are put away', async t => {
  const client = await greetServer(t, port)
  for (const command of [
    'AUTH PLAIN AHgAeA==',
    'STARTTLS',
    'WIZ',
    'XCLIENT ADDR=10.0.0.1',
    'XFORWARD ADDR=10.0.0.1',
  ]) {
    t.match(await client.say(command), /^500 5\.5\.2 /, command)
  }
  t.match(await client.say('VRFY invoices@acme.test'), /^252 /, 'and nothing is verified')
})

test('an address that is no inbox is refused for good', async t => {
  const unknown = ['nobody@acme.test', 'invoices@example.com', 'invoices+march@acme.test']
  const client = await greetServer(t, port)
  t.match(await client.say('MAIL FROM:<carla@supplier.test>'), /^250 2\.1\.0 /)
  for (const address of unknown) {
    t.match(await client.say(`RCPT TO:<${address}>`), /^550 5\.1\.1 There is no such mailbox here$/, address)
  }
  t.match(await client.say('DATA'), /^503 /, 'and nothing can be sent')
  t.match(await client.say('RCPT TO:<more@acme.test>'), /^421 /, 'who keeps guessing is sent away')
  await client.ended()
})

test('what is no address is refused as such', async t => {
  const client = await greetServer(t, port)
  t.match(await client.say('RCPT TO:<invoices@acme.test>'), /^503 /, 'before MAIL FROM')
  t.match(await client.say('MAIL FROM:carla'), /^501 5\.1\.7 /)
  await client.say('MAIL FROM:<carla@supplier.test>')
  for (const address of [
    '<>',
    'invoices@acme.test',
    '<invoices>',
    '<@>',
    '<a@b@acme.test>',
    '<a..b@acme.test>',
  ]) {
    t.match(await client.say(`RCPT TO:${address}`), /^501 5\.1\.3 /, address)
  }
  t.match(
    await client.say('RCPT TO:<invoices@[127.0.0.1]>'),
    /^550 5\.1\.1 /,
    'an address literal has no inbox',
  )
})

test('a paused inbox puts the sender off until it is active again', async t => {
  const client = await greetServer(t, port)
  await client.say('MAIL FROM:<carla@supplier.test>')
  t.match(await client.say('RCPT TO:<paused@acme.test>'), /^450 4\.2\.1 /)
  await database.pool.query(`update inboxes set status = 'active' where id = $1`, [paused])
  t.match(await client.say('RCPT TO:<paused@acme.test>'), /^250 2\.1\.5 /)
})

test('a deleted inbox is no inbox, and its address can be another one', async t => {
  const address = 'old@acme.test'
  const old = await addAddress(database, people.billing, { address })
  await database.pool.query('update inboxes set deleted_at = now() where id = $1', [old])
  const client = await greetServer(t, port)
  await client.say('MAIL FROM:<>')
  t.match(await client.say(`RCPT TO:<${address}>`), /^550 5\.1\.1 /)
  const next = await addAddress(database, people.main, { address })
  t.match(await client.say(`RCPT TO:<${address}>`), /^250 /)
  await client.say('DATA')
  t.match(await client.say('Subject: x\r\n\r\ny\r\n.'), /^250 /)
  t.match(await readInbox(database, next), [people.main])
  t.same(await readInbox(database, old), [])
})

test('letter case and the form of a domain do not matter, and a postmaster needs no domain', async t => {
  await addAddress(database, people.billing, { address: 'postmaster@mx.inbox.test' })
  for (const address of ['INVOICES@Acme.Test', 'post@müller.test', 'post@XN--MLLER-KVA.test', 'Postmaster']) {
    const client = await greetServer(t, port)
    await client.say('MAIL FROM:<carla@supplier.test>')
    t.match(await client.say(`RCPT TO:<${address}>`), /^250 2\.1\.5 /, address)
  }
})

test('one message has so many recipients', async t => {
  const client = await greetServer(t, port)
  await client.say('MAIL FROM:<carla@supplier.test>')
  t.match(await client.say('RCPT TO:<invoices@acme.test>'), /^250 /)
  t.match(await client.say('RCPT TO:<mail@globex.test>'), /^250 /)
  t.match(await client.say('RCPT TO:<Invoices@acme.test>'), /^250 /, 'the same again is none more')
  t.match(await client.say('RCPT TO:<third@globex.test>'), /^452 4\.5\.3 /)
  t.same(await readInbox(database, inbox), [], 'and until it is sent, nothing is stored')
})

test('who names recipients without end is sent away, also where it is the same one again', async t => {
  const impatient = await listen(t, database, { limits: { maxNamed: 3 } })
  const client = await greetServer(t, impatient.port)
  await client.say('MAIL FROM:<carla@supplier.test>')
  for (let count = 1; count <= 3; count++) t.match(await client.say('RCPT TO:<invoices@acme.test>'), /^250 /)
  t.match(await client.say('RCPT TO:<invoices@acme.test>'), /^421 4\.\S+ .*Too many recipients/)
})
