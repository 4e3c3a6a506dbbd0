import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import tap, { test } from 'tap'
import { deriveDemoPassword } from '../../../lib/demo/demo-password.ts'
import { toWorkspaceId } from '../../../lib/demo/demo-rows.ts'
import { demoRules } from '../../../lib/demo/demo-rules.ts'
import { demoWebhooks } from '../../../lib/demo/demo-webhooks.ts'
import { createDemoMessages } from '../../../lib/demo/messages/index.ts'
import { loadSigningKey } from '../../../lib/identity/signing-key.ts'
import { parseMetrics } from '../observability/parse-metrics.ts'
import { startCollector } from '../observability/start-collector.ts'
import { type ListedEmail, readEmails } from './fixtures/read-emails.ts'
import { readList } from './fixtures/read-list.ts'
import { shareDemoLocation } from './fixtures/share-demo-location.ts'
import { startCommand, startDemo } from './fixtures/start-demo.ts'

const people = { billing: 'ana@acme.test', support: 'vera@acme.test', main: 'leo@globex.test' }
const names = { billing: 'Billing', support: 'Support', main: 'Main' }
type Key = keyof typeof people

// Two starts of everything, on a machine that may be busy.
tap.setTimeout(420_000)
const location = await shareDemoLocation()
// The embedded database is made from nothing here, as on a machine where nothing was.
if (location.databaseUrl === null) await rm(join(location.dataDir, 'postgres'), { recursive: true })

const collector = await startCollector(tap)
const first = startDemo(location, {
  METRICS_PORT: '0',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url,
})
tap.teardown(() => first.end('SIGKILL'))
const url = await first.ready()
const firstAge = first.age()

const tokens = new Map<string, Promise<string>>()

/** Of this start of the demo: each has an address of its own, and its tokens are for that one. */
function findToken(user: string): Promise<string> {
  const token = tokens.get(user) ?? getToken(user, 'api')
  tokens.set(user, token)
  return token
}

async function getToken(user: string, audience: 'api' | 'mcp'): Promise<string> {
  const command = startCommand(['token', '--user', user, '--audience', audience], {
    DATA_DIR: location.dataDir,
  })
  const code = await command.ended()
  if (code !== 0) throw new Error(command.output())
  return command.output().trimEnd()
}

async function toReader(key: Key): Promise<Record<string, string>> {
  const token = await findToken(people[key])
  return { authorization: `Bearer ${token}`, 'x-workspace-id': toWorkspaceId(names[key]) }
}

async function readAll(address: string): Promise<Record<Key, ListedEmail[]>> {
  const read = async (key: Key) =>
    readEmails(address, { token: await findToken(people[key]), workspaceId: toWorkspaceId(names[key]) })
  return { billing: await read('billing'), support: await read('support'), main: await read('main') }
}

const before = await readAll(url)

test('every message is in its workspace, with the outcome that it is made for and its own time', async t => {
  const messages = await createDemoMessages()
  for (const key of ['billing', 'support', 'main'] as const) {
    const expected = messages
      .filter(message => message.key.startsWith(`${key}/`))
      .reverse()
      .map(({ raw, outcome, date }) => ({
        message_id: /^Message-ID: <([^>]+)>/m.exec(raw.toString('latin1'))?.[1],
        status: outcome as string,
        received_at: date.toISOString(),
      }))
    const found = before[key].map(({ message_id, status, received_at }) => ({
      message_id,
      status,
      received_at,
    }))
    t.same(found, expected, key)
  }
  t.ok(before.billing.filter(({ status }) => status === 'processed').length >= 100)
  t.match(
    before.billing.find(({ status }) => status === 'rejected'),
    { failure: { code: 'sender_not_allowed' }, subject: String },
  )
  t.match(
    before.billing.filter(({ status }) => status === 'failed').map(email => email.failure),
    [{ code: String, reason: /./ }],
  )
})

test('metrics and spans are of API and worker, where the environment asks for them', async t => {
  await first.printed('/metrics')
  const [at = ''] = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(first.output()) ?? []
  const samples = parseMetrics(await (await fetch(at)).text())
  t.ok((samples.get('kobana_messages_total{outcome="processed"}') ?? 0) >= 100)
  t.ok([...samples.keys()].some(name => name.includes('route="/api/v1/emails"')))
  t.ok(collector.spans.some(({ name }) => name === 'process email.process'))
  t.ok(collector.spans.some(({ name }) => name === 'GET /api/v1/emails'))
  t.same([...collector.services], ['kobana-inbox-demo'])
})

test('a letter in windows-1252 arrives with its curly quotes', async t => {
  const letter = (await createDemoMessages()).find(({ raw }) =>
    raw.toString('latin1').includes('charset=windows-1252'),
  )
  const messageId = /^Message-ID: <([^>]+)>/m.exec(letter?.raw.toString('latin1') ?? '')?.[1]
  const email = before.billing.find(({ message_id }) => message_id === messageId)
  const token = await getToken('bruno@acme.test', 'api')
  const response = await fetch(`${url}/api/v1/emails/${email?.id}`, {
    headers: { authorization: `Bearer ${token}`, 'x-workspace-id': toWorkspaceId('Billing') },
  })
  t.match(await response.json(), {
    data: { text: '“Central de Negociação”', labels: ['boleto', 'cobranca'] },
  })
})

test('what the worker proved is what the messages were made of, value by value', async t => {
  const messages = await createDemoMessages()
  const kinds = { boletos: 'boleto', pix: 'pix', nfeKeys: 'nfe_key', cnpjs: 'cnpj', cpfs: 'cpf' } as const
  for (const key of ['billing', 'support', 'main'] as const) {
    const read = messages.filter(
      message => message.key.startsWith(`${key}/`) && message.outcome === 'processed',
    )
    const reader = await toReader(key)
    for (const [codes, kind] of Object.entries(kinds)) {
      const expected = read.flatMap(message => message.codes[codes as keyof typeof kinds])
      const found = await readList(url, reader, `extractions?kind=${kind}`)
      t.same(found.map(({ value }) => value).sort(), expected.sort(), `${key}: ${expected.length} of ${kind}`)
    }
  }
})

test('rules have labelled what the worker proved, and those that are switched off nothing', async t => {
  const messages = await createDemoMessages()
  const reader = await toReader('billing')
  const rules = await readList(url, reader, 'rules')
  const labelled = (label: string) => before.billing.filter(({ labels }) => labels.includes(label)).length
  const count = (kind: 'boletos' | 'nfeKeys' | 'pix') =>
    messages.filter(({ key, codes }) => key.startsWith('billing/') && codes[kind].length > 0).length
  const expected = { boleto: count('boletos'), 'nota-fiscal': count('nfeKeys'), pix: count('pix') }
  for (const [label, number] of Object.entries(expected)) {
    t.ok(number > 0)
    t.equal(labelled(label), number, label)
  }
  t.same(
    rules.map(rule => [rule.key, rule.enabled, rule.matched_count]),
    [
      ['boleto', true, expected.boleto],
      ['nfe', true, expected['nota-fiscal']],
      ['pix', true, expected.pix],
      ['cobranca', true, labelled('cobranca')],
      ['grandes-fornecedores', true, labelled('prioridade')],
      ['extratos', false, 0],
    ],
  )
  t.ok(labelled('prioridade') > 0 && labelled('cobranca') > 0)
  t.equal(rules[0]?.id, demoRules[0]?.id)
})

test('webhooks were told, by attempts that succeeded, that will be made again, and that are over', async t => {
  const reader = await toReader('billing')
  const webhooks = await readList(url, reader, 'webhooks')
  t.same(
    webhooks.map(({ id }) => id),
    demoWebhooks.map(({ id }) => id).reverse(),
  )
  const ended = (status: string) => before.billing.filter(email => email.status === status).length
  const notified = before.billing.filter(({ labels }) => labels.includes('prioridade')).length
  const expected: Record<string, object> = {
    'erp.acme.test': { succeeded: notified },
    'archive.acme.test': { succeeded: ended('failed') },
    'alerts.acme.test': { pending: ended('rejected') },
    'legacy.acme.test': { dead: ended('failed') },
    'staging.acme.test': {},
  }
  for (const webhook of webhooks) {
    const deliveries = await readList(url, reader, `deliveries?webhook_id=${webhook.id}`)
    const counts: Record<string, number> = {}
    for (const { status } of deliveries) counts[String(status)] = (counts[String(status)] ?? 0) + 1
    const { host } = new URL(String(webhook.url))
    t.same(counts, expected[host], host)
    // Of a webhook that says 410, what comes after the first is not sent any more.
    const untried = deliveries.filter(({ attempt_count }) => attempt_count === 0)
    t.ok(
      untried.every(({ failure }) => /webhook_disabled/.test(JSON.stringify(failure))),
      host,
    )
  }
  t.match(
    webhooks.find(({ url }) => String(url).includes('legacy')),
    { enabled: false, disabled_reason: /410 Gone/ },
  )
})

test('the demo tells its own receivers alone: private addresses are refused there as well', async t => {
  const reader = await toReader('billing')
  const response = await fetch(`${url}/api/v1/webhooks`, {
    method: 'POST',
    headers: { ...reader, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'http://127.0.0.1:9/hooks', event_types: ['email.failed'] }),
  })
  t.equal(response.status, 400)
})

test('the demo prints where it is, a token that works, and commands to try', async t => {
  const text = first.output()
  t.match(text, `REST   ${url}/api/v1\n`)
  t.match(text, `MCP    ${url}/mcp\n`)
  const token = /^ey[\w-]+\.[\w-]+\.[\w-]+$/m.exec(text)?.[0]
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'me_get' } }
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(call),
  })
  t.equal(response.status, 200)
  t.match(await response.text(), 'ana@acme.test')
  for (const address of text.match(/http:\/\/[\w.:]+\/(health|ready)/g) ?? []) {
    t.ok((await fetch(address)).ok, address)
  }
  const password = deriveDemoPassword(await loadSigningKey(location.dataDir))
  t.match(text, `Log in as ana@acme.test, or anybody else of the demo, with the password ${password}\n`)
  t.match(text, new RegExp(`DATA_DIR=${location.dataDir} npm run --silent token -- .*--audience api`))
})

test('the token command prints one token and nothing else while the demo runs', async t => {
  const token = await getToken('bia@acme.test', 'api')
  t.match(token, /^ey[\w-]+\.[\w-]+\.[\w-]+$/)
  const me = await fetch(`${url}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } })
  t.match(await me.text(), 'bia@acme.test')

  const wrong = startCommand(['token', '--user', 'eva@acme.test', '--audience', 'api'], {
    DATA_DIR: location.dataDir,
  })
  t.equal(await wrong.ended(), 1)
  t.match(wrong.output(), /^--user "eva@acme.test" is nobody here. Known are: ana@acme.test/)
  const production = startCommand(['token'], { DATA_DIR: location.dataDir, NODE_ENV: 'production' })
  t.equal(await production.ended(), 1)
  t.match(production.output(), /^The token command is for development/)
})

test('a second demo on the same port or the same data is refused, and the first goes on', async t => {
  const samePort = startDemo(location, { PORT: new URL(url).port, DATA_DIR: `${location.dataDir}/other` })
  t.equal(await samePort.ended(), 1)
  t.match(samePort.output(), /^Something else listens on port \d+ of 127\.0\.0\.1\./)
  t.equal(samePort.output().split('\n').length, 2, 'one line, no stack')
  if (location.databaseUrl === null) {
    const sameData = startDemo(location)
    t.equal(await sameData.ended(), 1)
    t.match(sameData.output(), location.dataDir)
    t.notMatch(sameData.output(), /\n {4}at /, 'no stack')
  }
  t.equal((await fetch(`${url}/ready`)).status, 200)
})

test('stopped in order and started again, the demo has the same data at once', async t => {
  t.equal(await first.end('SIGTERM'), 0)
  const second = startDemo(location)
  t.teardown(() => second.end('SIGKILL'))
  const again = await second.ready()
  t.comment(`ready after ${firstAge} ms the first time, ${second.age()} ms the second`)
  t.notMatch(second.output(), /Delivering|Read \d/)
  tokens.clear()
  t.same(await readAll(again), before)
  t.equal(await second.end('SIGINT'), 0)
})
