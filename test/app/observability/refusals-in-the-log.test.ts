import { createServer } from 'node:http'
import { type Test, test } from 'tap'
import { listenLocally } from '../../../bench/scale/listen-locally.ts'
import { createLog } from '../../../lib/log/log.ts'
import { type StartOptions, startApp } from '../plumbing/start-app.ts'

const encode = (text: string) => Buffer.from(text).toString('base64url')

test('a refused token is refused for a reason that has nothing of the token in it', async t => {
  const { app, lines } = await startHeard(t)
  const header = encode('{"alg":"EdDSA","typ":"at+jwt"}')
  const reasons = {
    [`${encode('password=hunter2')}.a.b`]: 'the token has no header that can be read',
    ['sk_hunter2'.repeat(3)]: 'the token has no header that can be read',
    [`${encode('"hunter2"')}.a.b`]: 'the header of the token is no object',
    [`${encode('{"alg":"hunter2"}')}.a.b`]: 'the alg of the token is not accepted',
    [`${encode('{"alg":"EdDSA","kid":{"hunter2":1}}')}.a.b`]: 'the kid of the token is not accepted',
    [`${header}.${encode('hunter2@acme.test')}.${'A'.repeat(86)}`]: /^The token /,
  }
  for (const [token, reason] of Object.entries(reasons)) {
    const answer = await app.inject({ url: '/api/v1/me', headers: { authorization: `Bearer ${token}` } })
    t.equal(answer.statusCode, 401)
    t.match(JSON.parse(lines.findLast(line => line.includes('token refused')) ?? '{}'), { reason })
  }
  t.notMatch(lines.join(''), 'hunter2')
})

test('of what the authorization server cannot read nothing stands in the log', async t => {
  const { app, lines } = await startHeard(t, {
    config: { authServer: true, authIssuer: 'http://inbox.test/oauth' },
  })
  const answer = await app.inject({
    method: 'POST',
    url: '/oauth/register',
    headers: { 'content-type': 'application/json' },
    payload: '{"client_secret": hunter2}',
  })
  t.equal(answer.statusCode, 400)
  t.match(lines.join(''), 'failed to parse the request body')
  t.notMatch(lines.join('') + answer.body, 'hunter2')
})

test('an issuer whose keys are no JSON is told of without what it sent', async t => {
  const server = createServer((_request, response) => response.end('hunter2'))
  const url = `http://127.0.0.1:${await listenLocally(server)}/jwks`
  t.teardown(() => server.close())
  const { app, lines } = await startHeard(t, { env: { AUTH_JWKS_URL: url } })
  const headers = { authorization: `Bearer ${encode('{"alg":"EdDSA"}')}.a.b` }
  t.equal((await app.inject({ url: '/api/v1/me', headers })).statusCode, 503)
  t.match(lines.join(''), `${url} answered with something that is no JSON`)
  t.notMatch(lines.join(''), 'hunter2')
})

/** The application, and every line of its log. */
async function startHeard(t: Test, options: StartOptions = {}) {
  const lines: string[] = []
  const log = createLog('info', { write: line => void lines.push(line) })
  return { ...(await startApp(t, { ...options, log })), lines }
}
