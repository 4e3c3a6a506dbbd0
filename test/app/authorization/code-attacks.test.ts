import { createHash } from 'node:crypto'
import { test } from 'tap'
import { audiences, publicUrl } from '../plumbing/start-app.ts'
import { createBrowser } from './browser.ts'
import {
  agree,
  askForTokens,
  exchange,
  issuer,
  listTools,
  obtainTokens,
  redirectUri,
  refresh,
  registerClient,
  startAuthorization,
  toFlow,
} from './start-authorization.ts'

test('authorization requests', async t => {
  const started = await startAuthorization(t)
  const browser = createBrowser(started.app)
  const client = await registerClient(started)

  t.test('an unknown client or another redirect URI is told to the person, and nobody else', async t => {
    for (const parameters of [
      { client_id: 'nobody' },
      { client_id: '\0' },
      { client_id: '%00' },
      { redirect_uri: 'https://evil.example/callback' },
      { redirect_uri: `${redirectUri}/more` },
      { redirect_uri: `${redirectUri}?more=1` },
      { redirect_uri: `${redirectUri}/../callback` },
      { redirect_uri: redirectUri.toUpperCase() },
    ]) {
      const page = await browser.open(toFlow(client, parameters).url)
      t.equal(page.status, 400, JSON.stringify(parameters))
      t.match(page.body, /<h1>This did not work<\/h1>/)
      t.match(page.headers['content-security-policy'], "default-src 'none'")
      t.notMatch(page.body, /at .*\.(js|ts):\d+|node_modules|<script/)
      t.match(page.body, 'remove the connection to this server and add it again', 'what mends it')
      t.match(page.body, parameters.client_id ? 'no longer, registered' : 'that it did not register')
    }
  })

  const refused = async (parameters: Record<string, string | null>) => {
    const page = await browser.open(toFlow(client, parameters).url)
    const { search, hash } = new URL(page.url)
    // Errors of the other flows come where their answers would.
    return hash.startsWith('#') ? new URLSearchParams(hash.slice(1)) : new URLSearchParams(search)
  }

  t.test('without PKCE, or with plain PKCE, is refused, and so is any flow but the code', async t => {
    for (const parameters of [
      { code_challenge: null, code_challenge_method: null },
      { code_challenge_method: 'plain' },
      { code_challenge_method: null },
      { response_type: 'token' },
      { response_type: 'code id_token' },
      { response_mode: 'fragment' },
    ]) {
      const answer = await refused(parameters)
      t.match(
        answer.get('error'),
        /^(invalid_request|unsupported_response_type|unauthorized_client)$/,
        JSON.stringify(parameters),
      )
      t.equal(answer.get('iss'), issuer)
      t.equal(answer.get('code'), null)
    }
    const posted = await browser.open(toFlow(client, { response_mode: 'form_post' }).url)
    t.match(posted.body, 'name="error" value="invalid_request"')
  })

  t.test('for another resource is refused, and for both at once', async t => {
    t.equal((await refused({ resource: `${publicUrl}/other` })).get('error'), 'invalid_target')
    const page = await browser.open(`${toFlow(client).url}&resource=${encodeURIComponent(audiences.api)}`)
    t.equal(new URL(page.url).searchParams.get('error'), 'invalid_target')
  })

  t.test('a scope that is given twice is refused', async t => {
    const page = await browser.open(`${toFlow(client).url}&scope=emails:read`)
    t.match(page.body + page.url, /invalid_request/)
  })
})

test('tokens', async t => {
  const started = await startAuthorization(t)

  t.test('a code is for its client, redirect URI and verifier, and for a minute', async t => {
    const client = await registerClient(started)
    const other = await registerClient(started)
    const flow = toFlow(client)
    const code = (await agree(started, flow)).searchParams.get('code') ?? ''
    const right = {
      grant_type: 'authorization_code',
      client_id: client.client_id,
      code,
      code_verifier: flow.verifier,
      redirect_uri: redirectUri,
    }
    for (const wrong of [
      { client_id: other.client_id },
      { code_verifier: 'x'.repeat(43) },
      { code_verifier: undefined },
      { code_verifier: createHash('sha256').update(flow.verifier).digest('base64url') },
      { redirect_uri: 'https://client.example.com/other' },
      { redirect_uri: undefined, code_verifier: undefined },
      { resource: audiences.api },
    ]) {
      const response = await askForTokens(started, { ...right, ...wrong })
      t.equal(response.statusCode, 400, JSON.stringify(wrong))
      t.match(response.json().error, /^(invalid_grant|invalid_request|invalid_target)$/)
      t.notMatch(response.body, code)
    }
  })

  t.test('a code that is used again ends the tokens that it gave', async t => {
    const {
      client,
      code,
      flow,
      access_token: token,
      refresh_token: refreshToken,
    } = await obtainTokens(started)
    t.ok(Array.isArray(await listTools(started, token)))
    const again = await exchange(started, client, { code, flow })
    t.match(again.json(), { error: 'invalid_grant' })
    t.match((await refresh(started, client, refreshToken)).json(), { error: 'invalid_grant' })
    t.equal(await listTools(started, token), 401)
  })

  t.test('a refresh token that is used again ends the whole line', async t => {
    const { client, refresh_token: first } = await obtainTokens(started)
    const second = (await refresh(started, client, first)).json()
    t.not(second.refresh_token, first)
    const third = (await refresh(started, client, second.refresh_token)).json()
    t.ok(Array.isArray(await listTools(started, third.access_token)))
    t.match((await refresh(started, client, first)).json(), { error: 'invalid_grant' })
    t.match((await refresh(started, client, third.refresh_token)).json(), { error: 'invalid_grant' })
    t.equal(await listTools(started, third.access_token), 401)
  })

  t.test('a refresh token is for its client, and gives no more than it had', async t => {
    const { client, refresh_token: token } = await obtainTokens(started)
    const other = await registerClient(started)
    t.match((await refresh(started, other, token)).json(), { error: 'invalid_grant' })
    const more = { grant_type: 'refresh_token', client_id: client.client_id, refresh_token: token }
    t.match((await askForTokens(started, { ...more, scope: 'emails:read emails:write' })).json(), {
      error: 'invalid_scope',
    })
    const fewer = (await askForTokens(started, { ...more, scope: 'emails:read' })).json()
    t.match(fewer, { scope: 'emails:read' })
    const elsewhere = { ...more, refresh_token: fewer.refresh_token, resource: audiences.api }
    t.match((await askForTokens(started, elsewhere)).json(), { error: 'invalid_target' })
  })

  t.test('there are no other ways to a token', async t => {
    const client = await registerClient(started)
    for (const grant of [
      'password',
      'client_credentials',
      'implicit',
      'urn:ietf:params:oauth:grant-type:device_code',
    ]) {
      const response = await askForTokens(started, {
        grant_type: grant,
        client_id: client.client_id,
        username: 'ana@acme.test',
        password: 'x',
      })
      t.equal(response.statusCode, 400, grant)
      t.match(response.json(), { error: /^(unsupported_grant_type|invalid_request)$/ })
    }
    for (const url of [
      '/oauth/introspect',
      '/oauth/token/introspection',
      '/oauth/device/auth',
      '/oauth/me',
      '/oauth/session/end',
    ]) {
      t.equal((await started.app.inject({ method: 'POST', url })).statusCode, 404, url)
    }
  })

  t.test('a secret that is wrong, or missing, is refused', async t => {
    const client = await registerClient(started, { token_endpoint_auth_method: 'client_secret_basic' })
    const flow = toFlow(client)
    const code = (await agree(started, flow)).searchParams.get('code') ?? ''
    const basic = (secret: string) => ({
      authorization: `Basic ${Buffer.from(`${client.client_id}:${secret}`).toString('base64')}`,
    })
    const asked = {
      grant_type: 'authorization_code',
      code,
      code_verifier: flow.verifier,
      redirect_uri: redirectUri,
    }
    const without = await askForTokens(started, { ...asked, client_id: client.client_id })
    t.match(without.json(), { error: 'invalid_client' })
    const wrong = await askForTokens(started, asked, basic('wrong'))
    t.equal(wrong.statusCode, 401)
    const right = await askForTokens(started, asked, basic(client.client_secret ?? ''))
    t.equal(right.statusCode, 200, right.body)
  })

  t.test('a token for one resource is none for the other', async t => {
    const headers = (token: string) => ({ authorization: `Bearer ${token}` })
    const forMcp = await obtainTokens(started)
    const forApi = await obtainTokens(started, { parameters: { resource: audiences.api } })
    t.equal(
      (await started.app.inject({ url: '/api/v1/me', headers: headers(forApi.access_token) })).statusCode,
      200,
    )
    t.equal(
      (await started.app.inject({ url: '/api/v1/me', headers: headers(forMcp.access_token) })).statusCode,
      401,
    )
    t.equal(await listTools(started, forApi.access_token), 401)
    t.ok(Array.isArray(await listTools(started, forMcp.access_token)))
    const byDefault = await obtainTokens(started, { parameters: { resource: null } })
    t.ok(Array.isArray(await listTools(started, byDefault.access_token)))
  })
})
