import { test } from 'tap'
import { scopes } from '../../../lib/identity/scopes.ts'
import { createBrowser } from './browser.ts'
import {
  agree,
  exchange,
  listTools,
  logIn,
  obtainTokens,
  registerClient,
  startAuthorization,
  toClaims,
  toFlow,
} from './start-authorization.ts'

const wide = { scope: 'emails:read emails:write rules:read rules:write' }

test('consenting', async t => {
  const started = await startAuthorization(t)
  const { app, people } = started
  const client = await registerClient(started, { client_name: 'Mail <b>reader</b>' })
  const openConsent = async (email: string, parameters: Record<string, string | null> = {}) => {
    const browser = createBrowser(app)
    return { browser, page: await logIn(browser, await browser.open(toFlow(client, parameters).url), email) }
  }

  t.test('denying, or leaving nothing, gives nothing', async t => {
    for (const fields of [
      { answer: 'deny' },
      { answer: 'allow', scope: [] },
      { answer: 'allow', scope: ['audit:read'] },
      { answer: null },
    ]) {
      const { browser, page } = await openConsent('ana@acme.test')
      const answer = new URL((await browser.submit(page, fields)).url)
      t.equal(answer.searchParams.get('error'), 'access_denied', JSON.stringify(fields))
      t.equal(answer.searchParams.get('code'), null)
    }
  })

  t.test('a form from elsewhere is refused', async t => {
    const { browser, page } = await openConsent('ana@acme.test')
    for (const csrf of [null, 'x']) {
      t.equal((await browser.submit(page, { csrf, answer: 'allow' })).status, 403)
    }
  })

  t.test('a page of consent cannot be answered before anybody has logged in', async t => {
    const browser = createBrowser(app)
    const page = await browser.open(toFlow(client).url)
    const forged = { ...page, body: page.body.replaceAll('/login"', '/consent"') }
    const answer = await browser.submit(forged, { answer: 'allow', scope: ['emails:read'] })
    t.equal(answer.status, 400)
    t.equal(browser.cookies.value('inbox_session'), undefined)
  })

  t.test('shows who asks, where the answer goes, and every scope in words', async t => {
    const { page } = await openConsent('ana@acme.test', wide)
    t.match(page.body, 'Mail &lt;b&gt;reader&lt;/b&gt;')
    t.match(page.body, 'nobody, it named itself')
    t.match(page.body, '<dd>client.example.com</dd>')
    for (const scope of ['emails:read', 'emails:write', 'rules:read', 'rules:write'] as const) {
      t.match(page.body, `value="${scope}" checked`)
      t.match(page.body, scopes[scope].replace("'", '&#39;'))
    }
    t.notMatch(page.body, 'value="webhooks:write"')
  })

  t.test('asks only for what the person could ever use', async t => {
    const { page } = await openConsent('vera@acme.test', wide)
    t.match(page.body, 'value="emails:read"')
    t.notMatch(page.body, 'value="emails:write"')
  })

  t.test('a client that names no scope known here leaves it to the person', async t => {
    for (const scope of [null, 'openid offline_access']) {
      const { page } = await openConsent('ana@acme.test', { scope })
      t.match(page.body, 'value="webhooks:write"')
      t.notMatch(page.body, 'openid')
    }
  })

  t.test('scopes that were taken away are not granted, and their tools not there', async t => {
    const tokens = await obtainTokens(started, { client, parameters: wide, scope: ['emails:read'] })
    t.equal(tokens.scope, 'emails:read')
    t.equal(toClaims(tokens.access_token).scope, 'emails:read')
    const tools = await listTools(started, tokens.access_token)
    t.ok(Array.isArray(tools) && tools.includes('emails_list'))
    t.ok(Array.isArray(tools) && !tools.includes('emails_update') && !tools.includes('rules_list'))
  })

  t.test('what may not be read may not be written either, since writing would let it be read', async t => {
    const left = ['emails:write', 'rules:read', 'rules:write']
    const tokens = await obtainTokens(started, { client, parameters: wide, scope: left })
    t.equal(tokens.scope, 'rules:read rules:write')
    const tools = await listTools(started, tokens.access_token)
    t.ok(Array.isArray(tools) && tools.includes('rules_list') && !tools.includes('emails_list'))
  })

  t.test('writing that is asked for alone says that it reads, too', async t => {
    const { page } = await openConsent('ana@acme.test', { scope: 'emails:write' })
    t.match(page.body, `${scopes['emails:write']}; also: read e-mails, their attachments`)
    const tokens = await obtainTokens(started, {
      client,
      parameters: { scope: 'emails:write' },
      scope: ['emails:write'],
    })
    t.equal(tokens.scope, 'emails:write')
  })

  t.test('whose role allows nothing of it is told why, and has the way back alone', async t => {
    const viewer = await openConsent('vera@acme.test', { scope: 'webhooks:write' })
    t.match(viewer.page.body, 'more than your role allows')
    t.notMatch(viewer.page.body, 'value="allow"')
    const answer = new URL((await viewer.browser.submit(viewer.page, { answer: 'deny' })).url)
    t.equal(answer.searchParams.get('error'), 'access_denied')
  })

  t.test('a default workspace is chosen among those of the person', async t => {
    const { page } = await openConsent('ana@acme.test')
    t.match(page.body, /type="radio"[^>]*\s*value="[^"]+" checked/)
    const chosen = await obtainTokens(started, { client, workspace: people.support.workspaceId })
    t.equal(toClaims(chosen.access_token).workspace_id, people.support.workspaceId)
    const foreign = await obtainTokens(started, { client, workspace: people.main.workspaceId })
    t.equal(toClaims(foreign.access_token).workspace_id, people.billing.workspaceId)
    const only = await openConsent('leo@globex.test')
    t.notMatch(only.page.body, 'type="radio"')
    const alone = await obtainTokens(started, { client, email: 'leo@globex.test' })
    t.equal(toClaims(alone.access_token).workspace_id, people.main.workspaceId)
  })

  t.test('is remembered in the browser for the same scopes, and asked anew for more', async t => {
    const browser = createBrowser(app)
    await agree(started, toFlow(client), { browser })
    const again = await browser.open(toFlow(client).url)
    t.match(again.url, /^https:\/\/client\.example\.com\/callback\?code=/, 'nothing new')
    const flow = toFlow(client, wide)
    const wider = await browser.open(flow.url)
    t.match(wider.body, 'to act for you', 'more')
    const answer = new URL((await browser.submit(wider, { answer: 'allow', scope: ['rules:read'] })).url)
    const code = answer.searchParams.get('code')
    const tokens = (await exchange(started, client, { code, flow })).json()
    t.equal(tokens.scope, 'rules:read', 'nothing is taken along from the former consent')
    t.match(
      (await browser.open(toFlow(client, wide).url)).body,
      'to act for you',
      'what was taken away is asked again',
    )
  })

  t.test('is asked each time for a program on the own machine', async t => {
    const uri = 'http://127.0.0.1:5000/callback'
    const native = await registerClient(started, { redirect_uris: [uri] })
    const browser = createBrowser(app)
    const flow = () => toFlow(native, { redirect_uri: uri })
    await agree(started, flow(), { browser })
    const page = await browser.open(flow().url)
    t.match(page.body, 'a program on this computer')
    t.match(page.headers['content-security-policy'], "form-action 'self' http://127.0.0.1:5000")
  })

  t.test('whoever belongs to no workspace any more is told so, and has nothing to allow', async t => {
    await started.database.asOwner(trx =>
      trx.deleteFrom('memberships').where('user_id', '=', people.leo).execute(),
    )
    const { page } = await openConsent('leo@globex.test')
    t.match(page.body, 'You belong to no workspace')
    t.notMatch(page.body, 'value="allow"')
  })
})
