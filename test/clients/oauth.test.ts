import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { type Test, test } from 'tap'
import { createBrowser } from '../app/authorization/browser.ts'
import { noChromium, startChromium } from '../app/authorization/chromium.ts'
import { type Callback, startCallback, startListening } from '../app/authorization/listen.ts'
import { password } from '../app/authorization/start-authorization.ts'
import { moveClock } from '../app/identity/move-clock.ts'
import { createOAuthProvider, type Kept } from './oauth-provider.ts'

// The official clients and their OAuth providers, over sockets, knowing nothing but the URL of /mcp.

const info = { name: 'official-client', version: '1.0.0' }

/** One connection of a client; where it is refused, its transport is what finishes the login. */
interface Connection {
  connect(): Promise<void>
  finish(answer: URL): Promise<void>
  listTools(): Promise<string[]>
  callTool(name: string, args: Record<string, unknown>): Promise<unknown>
  close(): Promise<void>
}

type Create = (url: URL, kept: Kept) => Connection

/** A person, who leaves only these scopes ticked; null: all of them. */
type Person = (url: URL, scopes: readonly string[] | null) => Promise<URL>

function createSdk1(url: URL, { provider }: Kept): Connection {
  const transport = new Transport1(url, { authProvider: provider })
  const client = new Client1(info)
  return {
    connect: () => client.connect(transport),
    finish: answer => transport.finishAuth(answer.searchParams.get('code') ?? ''),
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    callTool: (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  }
}

function createClient2(url: URL, { provider }: Kept): Connection {
  const transport = new Transport2(url, { authProvider: provider })
  const client = new Client2(info, { versionNegotiation: { mode: 'auto' } })
  return {
    connect: () => client.connect(transport),
    finish: answer => transport.finishAuth(answer.searchParams),
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    callTool: (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  }
}

/** With plain HTTP and a jar of cookies. */
function createScriptedPerson(url: string): Person {
  const browser = createBrowser(url)
  return async (start, scopes) => {
    const first = await browser.open(start.href)
    const consent = first.body.includes('type="password"')
      ? await browser.submit(first, { email: 'ana@acme.test', password })
      : first
    const answer = await browser.submit(consent, { answer: 'allow', ...(scopes && { scope: scopes }) })
    return new URL(answer.url)
  }
}

async function createChromiumPerson(t: Test, callback: Callback): Promise<Person> {
  const context = await (await startChromium(t)).newContext()
  return async (start, scopes) => {
    const page = await context.newPage()
    await page.goto(start.href)
    if (await page.getByLabel('Password', { exact: true }).isVisible()) {
      await page.getByLabel('E-mail address').fill('ana@acme.test')
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByRole('button', { name: 'Log in' }).click()
    }
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    for (const box of await page.getByRole('checkbox').all()) {
      const name = (await box.getAttribute('value')) ?? ''
      if (scopes && !scopes.includes(name)) await box.uncheck()
    }
    const answer = callback.next()
    await page.getByRole('button', { name: 'Allow' }).click()
    const url = await answer
    await page.close()
    return url
  }
}

async function tryOut(
  t: Test,
  create: Create,
  toPerson: (url: string, callback: Callback) => Promise<Person>,
) {
  const { url } = await startListening(t)
  const callback = await startCallback(t)
  const person = await toPerson(url, callback)
  const kept = createOAuthProvider(callback.url)
  const pass = moveClock(t)
  const mcp = new URL('/mcp', url)

  const logIn = async (scopes: readonly string[] | null): Promise<Connection> => {
    const refused = create(mcp, kept)
    await t.rejects(refused.connect(), { message: /Unauthorized/i }, 'challenged, and sent to log in')
    await refused.finish(await person(kept.visited ?? new URL(url), scopes))
    await refused.close()
    const connection = create(mcp, kept)
    await connection.connect()
    return connection
  }

  const narrow = await logIn(['emails:read', 'inboxes:read'])
  t.equal(kept.visited?.origin, url)
  const few = await narrow.listTools()
  t.ok(few.includes('emails_list') && few.includes('inboxes_list'))
  t.notOk(few.includes('emails_update') || few.includes('rules_list'), 'what was taken away has no tools')

  const before = kept.tokens()?.access_token
  pass(11 * 60_000)
  t.same(await narrow.listTools(), few, 'renewed without the person')
  t.not(kept.tokens()?.access_token, before)
  return { kept, narrow, person, logIn, create: () => create(mcp, kept) }
}

const unknownEmail = { id: 'eml_00000000000000000000000000', labels: ['x'] }

test('the v1 client logs in with nothing but the URL', async t => {
  const { kept, narrow, logIn } = await tryOut(t, createSdk1, async url => createScriptedPerson(url))
  // It renews its token first, which widens nothing, and gives up; its program then lets the person log in anew.
  await t.rejects(narrow.callTool('emails_update', unknownEmail), { code: 403 })
  await narrow.close()
  kept.forgetTokens()
  const wide = await logIn(null)
  t.ok((await wide.listTools()).includes('emails_update'))
  t.match(await wide.callTool('emails_update', unknownEmail), { isError: true }, 'now it is only not there')
  await wide.close()
})

test('the v2 client logs in with nothing but the URL, and steps up', { skip: noChromium }, async t => {
  const started = await tryOut(t, createClient2, (_url, callback) => createChromiumPerson(t, callback))
  const { kept, narrow, person } = started
  kept.visited = null
  await t.rejects(
    narrow.callTool('emails_update', unknownEmail),
    { message: /Unauthorized/i },
    'sent to ask for more',
  )
  const asked = (kept.visited as URL | null)?.searchParams.get('scope') ?? ''
  t.ok(asked.includes('emails:write') && asked.includes('emails:read'), asked)
  await narrow.finish(await person(kept.visited ?? new URL('about:blank'), null))
  t.match(await narrow.callTool('emails_update', unknownEmail), { isError: true }, 'now it is only not there')
  t.match(kept.tokens()?.scope, 'emails:write')
  await narrow.close()
})
