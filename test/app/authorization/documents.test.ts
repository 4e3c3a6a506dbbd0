import { test } from 'tap'
import { MockAgent } from 'undici'
import { createGuardedAgent } from '../../../lib/network/guarded-agent.ts'
import type { Teardown } from '../support/open-test-database.ts'
import { createBrowser } from './browser.ts'
import { logIn, obtainTokens, redirectUri, startAuthorization, toFlow } from './start-authorization.ts'

const origin = 'https://agent.example.com'
const id = `${origin}/client.json`

interface Served {
  readonly status?: number
  readonly body?: string
  readonly headers?: Record<string, string>
}

/** What answers for the internet; it counts what it is asked. */
function createDocuments(t: Teardown) {
  const agent = new MockAgent()
  agent.disableNetConnect()
  t.teardown(() => agent.close())
  const asked: string[] = []
  return {
    agent,
    asked,
    serve(path: string, { status = 200, body = '', headers = {} }: Served) {
      agent
        .get(origin)
        .intercept({ path, method: 'GET' })
        .reply(options => {
          asked.push(options.path)
          return { statusCode: status, data: body, responseOptions: { headers } }
        })
        .persist()
    },
  }
}

function toDocument(clientId: string, members: object = {}): string {
  const document = { client_id: clientId, client_name: 'An agent', redirect_uris: [redirectUri], ...members }
  return JSON.stringify(document)
}

test('clients with a metadata document of their own', async t => {
  const documents = createDocuments(t)
  const started = await startAuthorization(t, { clientDocuments: documents.agent })
  const { app } = started
  const open = (clientId: string) => createBrowser(app).open(toFlow({ client_id: clientId }).url)

  t.test('a document that is not one of this client is refused', async t => {
    const large = toDocument(`${origin}/large.json`, { client_uri: 'x'.repeat(12_000) })
    const cases: Readonly<Record<string, Served>> = {
      '/absent.json': { status: 404 },
      '/moved.json': { status: 302, headers: { location: id } },
      '/failing.json': { status: 500, body: toDocument(`${origin}/failing.json`) },
      '/text.json': { body: 'not JSON' },
      '/list.json': { body: '[]' },
      '/other.json': { body: toDocument(id) },
      '/large.json': { body: large },
      '/secret.json': { body: toDocument(`${origin}/secret.json`, { client_secret: 'x' }) },
      '/method.json': {
        body: toDocument(`${origin}/method.json`, { token_endpoint_auth_method: 'client_secret_post' }),
      },
      '/script.json': {
        body: toDocument(`${origin}/script.json`, { redirect_uris: ['javascript:alert(1)'] }),
      },
      '/elsewhere.json': {
        body: toDocument(`${origin}/elsewhere.json`, { redirect_uris: ['https://other.example.com/'] }),
      },
    }
    for (const [path, served] of Object.entries(cases)) {
      documents.serve(path, served)
      const page = await open(`${origin}${path}`)
      t.equal(page.status, 400, path)
      t.match(page.body, '<h1>This did not work</h1>')
      t.notMatch(page.body, /at .*\.(js|ts):|ECONN|undici/)
    }
    t.notOk(documents.asked.includes('/client.json'), 'no redirect is followed')
  })

  t.test('what is no https URL of a document is not even asked for', async t => {
    const before = documents.asked.length
    for (const clientId of [
      'http://agent.example.com/client.json',
      'https://user@agent.example.com/client.json',
      `${id}#fragment`,
      'https://agent.example.com/a/../client.json',
    ]) {
      t.equal((await open(clientId)).status, 400, clientId)
    }
    t.equal(documents.asked.length, before)
  })

  t.test('one that is right logs its person in, without any registration', async t => {
    documents.serve('/client.json', {
      body: toDocument(id, { grant_types: ['authorization_code', 'refresh_token'] }),
      headers: { 'cache-control': 'max-age=600' },
    })
    const browser = createBrowser(app)
    const consent = await logIn(browser, await browser.open(toFlow({ client_id: id }).url))
    t.match(consent.body, 'Allow An agent to act for you?')
    t.match(consent.body, '<dd>agent.example.com</dd>')
    const tokens = await obtainTokens(started, { client: { client_id: id } })
    t.match(tokens, { access_token: String, refresh_token: String })
    t.equal(documents.asked.filter(path => path === '/client.json').length, 1, 'it is remembered for a while')
    const rows = await started.database.asOwner(trx => trx.selectFrom('oauth_clients').select('id').execute())
    t.strictSame(rows, [], 'and kept nowhere')
  })

  t.test('an address has so many of them fetched in a quarter of an hour', async t => {
    const visit = { remoteAddress: '203.0.113.44' }
    const statuses: number[] = []
    for (let count = 0; count < 31; count++) {
      const path = `/many-${count}.json`
      documents.serve(path, { status: 404 })
      statuses.push(
        (await createBrowser(app).open(toFlow({ client_id: `${origin}${path}` }).url, visit)).status,
      )
    }
    t.equal(documents.asked.filter(path => path.startsWith('/many-')).length, 30)
    t.equal(statuses.at(-1), 429)
  })
})

test('documents are fetched from the public internet alone', async t => {
  const connected: string[] = []
  const addresses: Readonly<Record<string, readonly string[]>> = {
    'inside.example.com': ['10.0.0.5'],
    'metadata.example.com': ['169.254.169.254'],
    'mixed.example.com': ['93.184.216.34', '127.0.0.1'],
    'public.example.com': ['93.184.216.34'],
  }
  const dispatcher = createGuardedAgent({
    allowPrivate: false,
    resolve: async name => addresses[name] ?? [],
    buildConnector: () => (target, callback) => {
      connected.push(target.hostname)
      callback(new Error('nothing is connected to in this test'), null)
    },
  })
  const { app } = await startAuthorization(t, { clientDocuments: dispatcher })
  for (const host of [...Object.keys(addresses), '127.0.0.1', '[::1]', '2130706433', 'nowhere.example.com']) {
    const page = await createBrowser(app).open(toFlow({ client_id: `https://${host}/client.json` }).url)
    t.equal(page.status, 400, host)
    t.notMatch(page.body, /10\.0\.0\.5|169\.254|public internet/, 'what was found is told to nobody')
  }
  t.strictSame([...new Set(connected)], ['public.example.com'])
})
