import { test } from 'tap'
import { audiences, publicUrl, startApp } from '../plumbing/start-app.ts'
import { issuer, startAuthorization } from './start-authorization.ts'

const page = 'http://localhost:6274'
const places = [
  '/oauth/.well-known/openid-configuration',
  '/oauth/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/oauth',
  '/.well-known/openid-configuration/oauth',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
]

test('an outside authorization server leaves nothing of the built-in one', async t => {
  const { app } = await startApp(t)
  for (const url of [...places, '/oauth/jwks', '/oauth/auth?client_id=x']) {
    t.equal((await app.inject(url)).statusCode, 404, url)
  }
  t.equal((await app.inject({ method: 'POST', url: '/oauth/token' })).statusCode, 404)
})

test('metadata', async t => {
  const { app } = await startAuthorization(t, { env: { CORS_ORIGINS: page } })

  t.test('is the same wherever clients look', async t => {
    for (const url of places) {
      const response = await app.inject(url)
      t.equal(response.statusCode, 200, url)
      t.match(
        response.json(),
        {
          issuer,
          authorization_endpoint: `${issuer}/auth`,
          token_endpoint: `${issuer}/token`,
          registration_endpoint: `${issuer}/register`,
          revocation_endpoint: `${issuer}/revoke`,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ['code'],
          grant_types_supported: ['authorization_code', 'refresh_token'],
          code_challenge_methods_supported: ['S256'],
          authorization_response_iss_parameter_supported: true,
          client_id_metadata_document_supported: true,
        },
        url,
      )
    }
  })

  t.test('comes from the public URL, whatever a request says of it', async t => {
    for (const url of places) {
      const forged = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'ftp' }
      const response = await app.inject({ url, headers: forged })
      t.notMatch(response.body, /evil|ftp/)
      t.equal(response.json().issuer, issuer)
    }
  })

  t.test('is what the resource names, and its endpoints are where it says', async t => {
    const resource = await app.inject('/.well-known/oauth-protected-resource/mcp')
    t.match(resource.json(), { resource: audiences.mcp, authorization_servers: [issuer] })
    const metadata = (await app.inject(places[0] ?? '')).json()
    for (const name of ['token_endpoint', 'registration_endpoint', 'revocation_endpoint']) {
      const url = metadata[name].replace(publicUrl, '')
      const response = await app.inject({ method: 'POST', url })
      t.ok(response.statusCode === 400, `${url} ${response.statusCode}`)
      t.match(response.headers['content-type'], 'application/json')
    }
  })

  t.test('keys are published without what signs', async t => {
    const { keys } = (await app.inject('/oauth/jwks')).json()
    t.match(keys, [{ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', x: String, kid: String }])
    t.equal(keys.length, 1)
    t.notOk('d' in keys[0])
  })

  t.test('other verbs are refused by name', async t => {
    const response = await app.inject({ method: 'DELETE', url: '/oauth/token' })
    t.equal(response.statusCode, 405)
    t.equal(response.headers.allow, 'POST')
  })

  t.test('pages of allowed origins may call, others not', async t => {
    const urls = ['/oauth/token', '/oauth/register', '/oauth/revoke'] as const
    for (const url of urls) {
      const preflight = await app.inject({
        method: 'OPTIONS',
        url,
        headers: { origin: page, 'access-control-request-method': 'POST' },
      })
      t.equal(preflight.statusCode, 204)
      t.equal(preflight.headers['access-control-allow-origin'], page)
      const answer = await app.inject({ method: 'POST', url, headers: { origin: page } })
      t.equal(answer.headers['access-control-allow-origin'], page, url)
      const foreign = await app.inject({ method: 'POST', url, headers: { origin: 'https://evil.example' } })
      t.equal(foreign.headers['access-control-allow-origin'], undefined, url)
    }
    for (const url of [...places, '/oauth/jwks']) {
      const answer = await app.inject({ url, headers: { origin: page } })
      t.equal(answer.headers['access-control-allow-origin'], page, url)
    }
  })
})

test('a public URL with a path has the forms with it, too', async t => {
  const env = { PUBLIC_URL: 'https://apps.example.com/inbox' }
  const { app } = await startApp(t, {
    env,
    config: { authServer: true, authIssuer: 'https://apps.example.com/inbox/oauth' },
  })
  const urls = [
    ...places,
    '/.well-known/oauth-authorization-server/inbox/oauth',
    '/.well-known/openid-configuration/inbox/oauth',
  ]
  for (const url of urls) {
    const response = await app.inject(url)
    t.equal(response.json().issuer, 'https://apps.example.com/inbox/oauth', url)
  }
})
