import { test } from 'tap'
import { audiences } from '../plumbing/start-app.ts'
import { createBrowser } from './browser.ts'
import {
  exchange,
  issuer,
  listTools,
  logIn,
  redirectUri,
  registerClient,
  startAuthorization,
  toClaims,
  toFlow,
} from './start-authorization.ts'

test('from nothing to tools', async t => {
  const started = await startAuthorization(t)
  const { app, people } = started
  const client = await registerClient(started)
  const flow = toFlow(client)
  const browser = createBrowser(app)

  const login = await browser.open(flow.url)
  t.equal(login.status, 200, login.body)
  const consent = await logIn(browser, login)
  t.equal(consent.status, 200, consent.body)
  const answer = new URL((await browser.submit(consent, { answer: 'allow' })).url)
  t.equal(`${answer.origin}${answer.pathname}`, redirectUri)
  t.equal(answer.searchParams.get('state'), flow.state)
  t.equal(answer.searchParams.get('iss'), issuer, 'RFC 9207')

  const code = answer.searchParams.get('code')
  const response = await exchange(started, client, { code, flow })
  t.equal(response.statusCode, 200, response.body)
  const tokens = response.json()
  t.match(tokens, { token_type: 'Bearer', expires_in: 600, scope: 'inboxes:read emails:read' })
  t.match(toClaims(tokens.access_token), {
    iss: issuer,
    aud: audiences.mcp,
    sub: people.ana,
    client_id: client.client_id,
    scope: 'inboxes:read emails:read',
    workspace_id: people.billing.workspaceId,
  })
  const tools = await listTools(started, tokens.access_token)
  t.ok(Array.isArray(tools) && tools.includes('emails_list') && !tools.includes('rules_list'), String(tools))
})
