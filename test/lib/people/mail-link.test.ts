import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { test } from 'tap'
import { mailLink } from '../../../lib/people/mail-link.ts'
import { createMailTransport } from '../../../lib/people/mail-transport.ts'
import { findOpenLink } from '../../../lib/people/open-link.ts'
import { startPeopleWorker } from '../../../lib/people/start-people-worker.ts'
import { startApp } from '../../app/plumbing/start-app.ts'
import { toRecord, toRefusal } from '../../app/resources/answers.ts'
import { createPerson } from '../../app/resources/person.ts'
import type { Teardown } from '../../app/support/open-test-database.ts'
import { eventually, startJobs } from '../jobs/support/start-jobs.ts'

const from = 'Acme inboxes <people@acme.example>'

test('links are mailed where a relay is configured', async t => {
  const relay = await startRelay(t)
  const started = await startJobs(t)
  const { database, jobs, people } = started
  const mail = { relayUrl: relay.url, from }
  const { app } = await startApp(t, { beside: started, config: { mail } })
  const bia = createPerson(app, people.bia)
  const worker = await startPeopleWorker({ database, jobs }, { ...mail, publicUrl: 'http://inbox.test' })
  t.teardown(() => worker.stop())
  const eventsOf = (resourceId: string) =>
    database.asOwner(trx =>
      trx
        .selectFrom('audit_events')
        .select(['action', 'outcome', 'code', 'via', 'workspace_id'])
        .where('resource_id', '=', resourceId)
        .where('via', '=', 'system')
        .orderBy('id')
        .execute(),
    )

  await t.test('and stand in no answer, in no job and in no audit event', async t => {
    const dora = { email: 'dora@acme.test', name: 'Dora "D" Réis', role: 'operator' }
    const answer = await bia.post('/members', dora, { 'idempotency-key': 'dora' })
    t.match(answer, { status: 201, body: { data: { link: null, link_expires_at: null, mailed: true } } })
    const message = await relay.nextTo('dora@acme.test')
    t.match(message, {
      from: { address: 'people@acme.example', name: 'Acme inboxes' },
      to: [{ address: 'dora@acme.test', name: 'Dora "D" Réis' }],
      subject: 'You have access to the inboxes of Acme',
      text: /You log in as dora@acme\.test.*\n\nhttp:\/\/inbox\.test\/people\/link\?token=[\w-]{43}\n\n.*within 72 hours/,
    })
    t.match(
      message.headers.find(({ key }) => key === 'auto-submitted'),
      { value: 'auto-generated' },
    )
    const token = tokenOf(message)
    t.match(await findOpenLink(database, token), { email: 'dora@acme.test', purpose: 'invitation' })
    const { id } = toRecord(answer)
    await eventually(async () => (await eventsOf(id)).length > 0)
    t.match(await eventsOf(id), [{ action: 'people.mail_link', outcome: 'succeeded', workspace_id: String }])
    const { rows } = await database.pool.query('select data, output from pgboss.job')
    const tables = await database.asOwner(async trx => [
      await trx.selectFrom('audit_events').selectAll().execute(),
      await trx.selectFrom('account_links').selectAll().execute(),
    ])
    t.notMatch(JSON.stringify([rows, tables, answer]), token)
    t.equal(toRefusal(await bia.post(`/members/${id}/password-resets`)), '409 conflict', 'one a minute')
  })

  await t.test('also for a new password, even one of the own account', async t => {
    t.match(await bia.post(`/members/${people.bia}/password-resets`), {
      status: 200,
      body: { data: { mailed: true } },
    })
    t.match(await relay.nextTo('bia@acme.test'), { to: [{ address: 'bia@acme.test' }] })
  })

  await t.test('again after the relay was away, with the newest link', async t => {
    relay.failing = 451
    await bia.post(`/members/${people.bruno}/password-resets`)
    await eventually(() => relay.refused > 0)
    relay.failing = null
    const message = await relay.nextTo('bruno@acme.test', 30)
    t.match(message, { to: [{ address: 'bruno@acme.test' }] })
    t.match(await findOpenLink(database, tokenOf(message)), { userId: people.bruno })
  })

  await t.test(
    'not again where the relay refuses the address for good, which the audit trail tells',
    async t => {
      relay.failing = 550
      const eva = { email: 'eva@acme.test', name: 'Eva', role: 'viewer' }
      const { id } = toRecord(await bia.post('/members', eva))
      await eventually(async () => (await eventsOf(id)).length > 0)
      relay.failing = null
      t.match(await eventsOf(id), [{ action: 'people.mail_link', outcome: 'failed', code: 'not_mailed' }])
    },
  )
})

test('whoever was disabled or removed meanwhile is sent nothing', async t => {
  const relay = await startRelay(t)
  const { database, people } = await startJobs(t)
  const transport = createMailTransport({ relayUrl: relay.url })
  const mailer = { transport, from, publicUrl: 'http://inbox.test' }
  const job = { ...people.billing, userId: people.bruno, createdBy: people.bia }
  await mailLink(database, { ...job, ...people.support }, mailer)
  await database.asOwner(trx =>
    trx
      .updateTable('users')
      .set({ disabled_at: '2026-01-01T00:00:00.000Z' })
      .where('id', '=', people.bruno)
      .execute(),
  )
  await mailLink(database, job, mailer)
  t.equal(relay.received, 0)
  t.same(await database.asOwner(trx => trx.selectFrom('account_links').selectAll().execute()), [])
})

test('a relay that quotes a message which it does not take brings no link into an error', async t => {
  const relay = await startRelay(t)
  const { database, people } = await startJobs(t)
  const transport = createMailTransport({ relayUrl: relay.url })
  const mailer = { transport, from, publicUrl: 'http://inbox.test' }
  relay.failing = 'quote'
  const job = { ...people.billing, userId: people.bruno, createdBy: people.bia }
  const error: unknown = await mailLink(database, job, mailer).then(
    () => null,
    (caught: unknown) => caught,
  )
  t.match(error, { message: /the relay did not take the message.*token=\[token\]/ })
  t.ok(relay.quoted.length === 43)
  t.notMatch(JSON.stringify(error, Object.getOwnPropertyNames(error)), relay.quoted)
})

test('a password for the relay is sent over TLS only', async t => {
  const relay = await startRelay(t)
  const url = new URL(relay.url)
  const transport = createMailTransport({ relayUrl: `smtp://user:secret@${url.host}` })
  await t.rejects(transport.sendMail({ from, to: 'a@acme.test', text: 'x' }))
  t.equal(relay.received, 0)
})

interface Relay {
  readonly url: string
  /** What it answers after a message, until it is null; `quote` is 451 with the token of the message. */
  failing: number | 'quote' | null
  refused: number
  received: number
  quoted: string
  /** Of those not asked for yet. A job that takes its time on a busy machine sends its message once more. */
  nextTo(address: string, seconds?: number): Promise<Email>
}

/** A mail server of this machine that keeps what it is given. */
async function startRelay(t: Teardown): Promise<Relay> {
  const messages: Email[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    async onData(stream, _session, callback) {
      const chunks: Buffer[] = []
      for await (const chunk of stream) chunks.push(chunk)
      const message = await PostalMime.parse(Buffer.concat(chunks))
      if (relay.failing === null) {
        messages.push(message)
        relay.received += 1
        return callback()
      }
      relay.refused += 1
      relay.quoted = tokenOf(message)
      const text = relay.failing === 'quote' ? `no token=${relay.quoted} please` : 'no'
      callback(
        Object.assign(new Error(text), { responseCode: relay.failing === 'quote' ? 451 : relay.failing }),
      )
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  t.teardown(() => new Promise(resolve => server.close(() => resolve(null))))
  const { port } = server.server.address() as AddressInfo
  const relay: Relay = {
    url: `smtp://127.0.0.1:${port}`,
    failing: null,
    refused: 0,
    received: 0,
    quoted: '',
    nextTo: async (address, seconds) => {
      const isTo = ({ to }: Email) => to?.[0]?.address === address
      return eventually(() => messages.splice(0).find(isTo), seconds)
    },
  }
  return relay
}

function tokenOf({ text }: Email): string {
  return /token=([\w-]+)/.exec(text ?? '')?.[1] ?? ''
}
