import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createSigner } from 'fast-jwt'
import { type Test, test } from 'tap'
import { audiences, bearer, confirmationKey } from '../app/plumbing/start-app.ts'
import { insertEmail, insertInbox } from '../app/support/insert-email.ts'
import { startTwoServers, type TwoServers } from './two-servers.ts'

// The official client with two servers: the first asks the question, the second gets the answer.

type Reply = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, boolean> }
/** Sends a body to one of the two servers. */
type Post = (server: 0 | 1, body: string) => Promise<Response>

interface Desk {
  readonly client: Client
  /** The questions, as the person read them. */
  readonly forms: string[]
  /** The id of an e-mail that is there. */
  readonly id: string
  isThere(): Promise<boolean>
}

interface DeskOptions {
  /** What the person does with each question; the signal says that the form was closed. */
  readonly answer: (form: AbortSignal) => Reply | Promise<Reply>
  /** How the retry with the answer gets to the servers. Default: to the second. */
  readonly retry?: (post: Post, body: string) => Promise<Response>
}

const yes: Reply = { action: 'accept', content: { confirm: true } }

async function openDesk(t: Test, servers: TwoServers, options: DeskOptions): Promise<Desk> {
  const { answer, retry = toSecond } = options
  const { urls, database, people } = servers
  const inboxId = await insertInbox(database, people.billing)
  const id = await insertEmail(database, people.billing, { inboxId })
  const forms: string[] = []
  const client = new Client(
    { name: 'desk', version: '1.0.0' },
    {
      versionNegotiation: { mode: { pin: '2026-07-28' } },
      capabilities: { elicitation: { form: {} } },
    },
  )
  client.setRequestHandler('elicitation/create', async (request, { mcpReq }) => {
    forms.push(request.params.message)
    return answer(mcpReq.signal)
  })
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', urls[0]), {
    requestInit: { headers: bearer(people.bruno, { audience: audiences.mcp }) },
    fetch: (input, init) => {
      const body = String(init?.body)
      if (!body.includes('"inputResponses"')) return fetch(input, init)
      return retry((server, text) => fetch(new URL('/mcp', urls[server]), { ...init, body: text }), body)
    },
  })
  await client.connect(transport)
  t.teardown(() => client.close())
  const isThere = async () => {
    const response = await fetch(`${urls[0]}/api/v1/emails/${id}`, { headers: bearer(people.bruno) })
    return response.status === 200
  }
  return { client, forms, id, isThere }
}

const toSecond = (post: Post, body: string): Promise<Response> => post(1, body)

const question = /^Delete the e-mail .+ from .+, received \d+ \w+ \d{4}\? This cannot be undone\.$/

test('the official client and its person, with two servers', { timeout: 120_000 }, async t => {
  const servers = await startTwoServers(t)

  await t.test('a yes that reaches the other server deletes the e-mail', async t => {
    const { client, forms, id, isThere } = await openDesk(t, servers, { answer: () => yes })
    const result = await client.callTool({ name: 'emails_delete', arguments: { id } })
    t.equal(forms.length, 1)
    t.match(forms[0], question)
    t.notOk(result.isError)
    t.same(result.content, [{ type: 'text', text: '' }])
    t.notOk(await isThere())
  })

  for (const [name, reply] of [
    ['declines', { action: 'decline' }],
    ['closes the question', { action: 'cancel' }],
    ['leaves the box empty', { action: 'accept', content: { confirm: false } }],
  ] as const) {
    await t.test(`a person who ${name} keeps the e-mail`, async t => {
      const { client, forms, id, isThere } = await openDesk(t, servers, { answer: () => reply })
      const result = await client.callTool({ name: 'emails_delete', arguments: { id } })
      t.equal(forms.length, 1)
      t.equal(result.isError, true)
      t.match(JSON.stringify(result.content), 'confirmation_declined')
      t.ok(await isThere())
    })
  }

  await t.test('a person who does not answer keeps the e-mail', async t => {
    const { client, forms, id, isThere } = await openDesk(t, servers, { answer: waitUntilClosed })
    const signal = AbortSignal.timeout(1_500)
    await t.rejects(client.callTool({ name: 'emails_delete', arguments: { id } }, { signal }))
    t.equal(forms.length, 1)
    t.ok(await isThere())
  })

  await t.test('a person who answers too late is asked again', async t => {
    let isFirst = true
    const { client, forms, id, isThere } = await openDesk(t, servers, {
      answer: () => yes,
      retry: (post, body) => {
        const sent = isFirst ? toLate(body) : body
        isFirst = false
        return post(1, sent)
      },
    })
    const result = await client.callTool({ name: 'emails_delete', arguments: { id } })
    t.equal(forms.length, 2)
    t.equal(forms[1], forms[0])
    t.notOk(result.isError)
    t.notOk(await isThere())
  })

  await t.test(
    'an answer that is lost on its way back is fetched from the other server, and nothing runs again',
    async t => {
      const statuses: number[] = []
      const { client, id } = await openDesk(t, servers, {
        answer: () => yes,
        retry: async (post, body) => {
          statuses.push((await post(1, body)).status)
          return post(0, body)
        },
      })
      const result = await client.callTool({ name: 'emails_reprocess', arguments: { id } })
      t.same(statuses, [200])
      t.notOk(result.isError)
      const { database, people } = servers
      const operations = await database.inTenant(people.billing, trx =>
        trx.selectFrom('operations').where('email_id', '=', id).select('id').execute(),
      )
      t.equal(operations.length, 1)
      t.match(JSON.stringify(result.content), operations[0]?.id, 'the first outcome')
    },
  )

  await t.test('one yes that twenty retries bring to both servers at once deletes once', async t => {
    const bodies: Promise<string>[] = []
    const { client, id, isThere } = await openDesk(t, servers, {
      answer: () => yes,
      retry: async (post, body) => {
        const all = Array.from({ length: 20 }, (_, index) => post(index % 2 === 0 ? 0 : 1, body))
        for (const response of all) bodies.push(response.then(answer => answer.clone().text()))
        await Promise.all(bodies)
        return post(1, body)
      },
    })
    const result = await client.callTool({ name: 'emails_delete', arguments: { id } })
    t.notOk(result.isError)
    t.equal(new Set(await Promise.all(bodies)).size, 1, 'twenty times the same')
    t.notOk(await isThere())
  })
})

function waitUntilClosed(form: AbortSignal): Promise<Reply> {
  return new Promise((_, reject) => form.addEventListener('abort', () => reject(form.reason)))
}

/** The body with its state six minutes older, signed with the servers' own key. */
function toLate(body: string): string {
  return body.replace(/"requestState":"([^"]+)"/, (_, state: string) => {
    const claims = JSON.parse(Buffer.from(state.split('.')[1] ?? '', 'base64url').toString())
    const old = { ...claims, iat: claims.iat - 360, exp: claims.exp - 360 }
    const header = { alg: 'HS256', typ: 'mcp-confirmation+jwt' }
    const signed = createSigner({ key: confirmationKey, algorithm: 'HS256', header })(old)
    return `"requestState":"${signed}"`
  })
}
