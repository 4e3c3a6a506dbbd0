import { test } from 'tap'
import { redirectUri, registerClient, startAuthorization, toFlow } from './start-authorization.ts'

test('dynamic registration', async t => {
  const started = await startAuthorization(t)
  const { app, database } = started
  // Each from an address of its own: how many one of them registers is counted.
  let registered = 0
  const register = (payload: object) => {
    registered += 1
    return app.inject({
      method: 'POST',
      url: '/oauth/register',
      remoteAddress: `198.51.100.${registered}`,
      payload,
    })
  }

  t.test('refuses redirect URIs that no application has, by name', async t => {
    for (const uri of [
      'javascript:alert(1)',
      'data:text/html,x',
      'http://client.example.com/callback',
      'http://127.0.0.1.evil.example/callback',
      'https://client.example.com/callback#fragment',
      'https://user:secret@client.example.com/callback',
      'https://@client.example.com/callback',
      'https://:@client.example.com/callback',
      'https://client.example.com;sandbox.evil.example/callback',
      'https://client.example.com,evil.example/callback',
      "https://client'example.com/callback",
      'https://*.example.com/callback',
      'search-ms:query=callback',
      'ms-msdt:/id',
      'moz-extension://callback',
      'smb://client.example.com/callback',
      'urn:ietf:wg:oauth:2.0:oob',
      'file:///etc/passwd',
      'blob:https://client.example.com/1',
      '/callback',
      'https://client.example.com/\u0000',
      'https://client.example.com/\ud800',
      'https://client.example.com/a b',
      `https://client.example.com/${'x'.repeat(2_000)}`,
    ]) {
      const response = await register({ redirect_uris: [redirectUri, uri] })
      t.equal(response.statusCode, 400, uri)
      t.match(response.json(), { error: 'invalid_redirect_uri', error_description: /^redirect_uris / })
    }
  })

  t.test('refuses metadata that is too much, or of the wrong kind', async t => {
    for (const metadata of [
      {},
      { redirect_uris: [] },
      { redirect_uris: redirectUri },
      { redirect_uris: Array.from({ length: 21 }, (_, at) => `https://client.example.com/${at}`) },
      { redirect_uris: [redirectUri], client_name: 'x'.repeat(201) },
      { redirect_uris: [redirectUri], client_name: 'Two\nlines' },
      { redirect_uris: [redirectUri], client_name: 'Half \ud800' },
      { redirect_uris: [redirectUri], software_id: 'Nothing\u0000' },
      { redirect_uris: [redirectUri], client_name: 'Turned \u202e around' },
      { redirect_uris: [redirectUri], client_name: '   ' },
      { redirect_uris: [redirectUri], client_name: '\u200b\u00ad\u2060\u3164' },
      { redirect_uris: [redirectUri], client_name: `A${'\u0301'.repeat(50)}` },
      { redirect_uris: [redirectUri], software_id: { name: 'a client' } },
      { redirect_uris: [redirectUri], client_uri: `https://client.example.com/${'x'.repeat(2_000)}` },
      { redirect_uris: [redirectUri], token_endpoint_auth_method: 'private_key_jwt' },
    ]) {
      const response = await register(metadata)
      t.equal(response.statusCode, 400, JSON.stringify(metadata).slice(0, 80))
      t.match(response.json(), { error: /^invalid_/, error_description: String })
    }
  })

  t.test('takes null for what is not said, and has no use for the rest', async t => {
    const nothing = { client_name: null, client_uri: null, logo_uri: null, software_id: null, jwks: null }
    const more = { contacts: ['dev@client.example.com'], software_statement: null, scope: 'emails:read' }
    const response = await register({ redirect_uris: [redirectUri], ...nothing, ...more })
    t.equal(response.statusCode, 201, response.body)
    t.match(response.json(), { client_id: String, redirect_uris: [redirectUri] })
    t.equal((await register({ redirect_uris: null })).statusCode, 400)
  })

  t.test('refuses a body that is no JSON, and one that is too large', async t => {
    for (const payload of ['{', JSON.stringify({ redirect_uris: [redirectUri], x: 'x'.repeat(60_000) })]) {
      const headers = { 'content-type': 'application/json' }
      const response = await app.inject({ method: 'POST', url: '/oauth/register', headers, payload })
      t.equal(response.statusCode, 400)
      t.match(response.json(), { error: 'invalid_request' })
    }
  })

  t.test('takes what clients send, and keeps what is known here', async t => {
    const response = await register({
      client_name: 'An editor',
      redirect_uris: ['http://127.0.0.1:33418/', 'https://editor.example.com/redirect', 'editor://callback'],
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code', 'token'],
      token_endpoint_auth_method: 'none',
      scope: 'emails:read',
      jwks_uri: 'https://editor.example.com/keys',
      sector_identifier_uri: 'https://editor.example.com/sector',
      unknown: true,
    })
    t.equal(response.statusCode, 201, response.body)
    const client = response.json()
    t.match(client, {
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    })
    for (const name of ['scope', 'jwks_uri', 'sector_identifier_uri', 'unknown', 'client_secret']) {
      t.notOk(name in client, name)
    }
    t.equal(response.headers['cache-control'], 'no-store')
  })

  t.test('a secret is shown once and sealed at rest', async t => {
    const client = await registerClient(started, { token_endpoint_auth_method: 'client_secret_post' })
    t.match(client, { client_secret: /^.{40,}$/, client_secret_expires_at: 0 })
    const row = await database.asOwner(trx =>
      trx
        .selectFrom('oauth_clients')
        .selectAll()
        .where('id', '=', client.client_id)
        .executeTakeFirstOrThrow(),
    )
    t.notMatch(JSON.stringify(row), client.client_secret)
    t.match(row.secret, /^v1\./)
  })

  t.test('a program on the own machine may choose its port, and nothing else', async t => {
    const client = await registerClient(started, { redirect_uris: ['http://127.0.0.1/callback'] })
    const ask = (uri: string) =>
      app.inject(toFlow(client, { redirect_uri: uri }).url.replace(/^https?:\/\/[^/]+/, ''))
    t.equal((await ask('http://127.0.0.1:50123/callback')).statusCode, 303)
    for (const uri of [
      'http://127.0.0.1:50123/other',
      'http://localhost:50123/callback',
      'https://127.0.0.1/callback',
    ]) {
      t.equal((await ask(uri)).statusCode, 400, uri)
    }
  })

  t.test('an address registers so many clients in a quarter of an hour', async t => {
    const statuses = new Set<number>()
    for (let count = 0; count < 31; count++) {
      const response = await app.inject({
        method: 'POST',
        url: '/oauth/register',
        remoteAddress: '203.0.113.7',
        payload: { redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
      })
      statuses.add(response.statusCode)
      if (response.statusCode === 429) t.match(response.headers['retry-after'], /^\d+$/)
    }
    t.strictSame([...statuses], [201, 429])
  })
})
