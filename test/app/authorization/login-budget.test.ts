import { test } from 'tap'
import { moveClock } from '../identity/move-clock.ts'
import { createBrowser } from './browser.ts'
import { password, registerClient, startAuthorization, toFlow } from './start-authorization.ts'

test('attempts to log in are counted', async t => {
  const started = await startAuthorization(t)
  const { app } = started
  const client = await registerClient(started)
  const attempt = async (
    email: string,
    given: string,
    { address = '203.0.113.1', browser = createBrowser(app) } = {},
  ) => {
    const visit = { remoteAddress: address }
    const page = await browser.open(toFlow(client, { prompt: 'login' }).url, visit)
    return browser.submit(page, { email, password: given }, visit)
  }

  t.test('per account and address, whether there is such an account or not', async t => {
    for (const email of ['nobody@acme.test', 'bruno@acme.test']) {
      const statuses: number[] = []
      for (let count = 0; count < 11; count++) statuses.push((await attempt(email, 'wrong')).status)
      t.strictSame(statuses, [...Array.from({ length: 10 }, () => 403), 429], email)
    }
    const refused = await attempt('bruno@acme.test', password)
    t.equal(refused.status, 429, 'the right password is not looked at either')
    t.match(refused.headers['retry-after'], /^\d+$/)
    t.match(refused.body, /role="alert"[^>]*>Too many attempts to log in\. Try again in \d+ seconds/)
  })

  t.test('of one budget, however the address is spelled', async t => {
    const statuses: number[] = []
    const address = { address: '203.0.113.7' }
    for (const spelled of [
      ...[
        'ana@acme.test',
        ' ANA@acme.test',
        'ana@ACME.test\u00a0',
        'ana@acme\u3002test',
        'ana@ac\u00adme.test',
      ],
      // What follows is cut off: only blanks are left behind the address.
      ...[' ', '\t', '\u00a0', '\u2003', '\ufeff', '\u2028'].map(
        blank => `ana@acme.test${blank.padEnd(320, ' ')}x`,
      ),
    ])
      statuses.push((await attempt(spelled, 'wrong', address)).status)
    t.strictSame(statuses, [...Array.from({ length: 10 }, () => 403), 429])
  })

  t.test('so that the person gets in from elsewhere meanwhile', async t => {
    const answer = await attempt('bruno@acme.test', password, { address: '203.0.113.2' })
    t.match(answer.body, 'to act for you')
  })
})

test('an address begins so many logins a minute, each of which leaves a record', async t => {
  const started = await startAuthorization(t)
  const client = await registerClient(started)
  const browser = createBrowser(started.app)
  const visit = { remoteAddress: '203.0.113.8', follow: false }
  const begin = () => browser.open(toFlow(client).url, visit)
  const statuses = new Set<number>()
  for (let count = 0; count < 120; count++) statuses.add((await begin()).status)
  t.strictSame([...statuses], [303])
  const refused = await begin()
  t.equal(refused.status, 429)
  t.match(refused.headers, { 'retry-after': /^\d+$/, 'content-type': /^text\/html/ })
  t.match(refused.body, 'Too many logins were begun from this address')
  const records = await started.database.asOwner(trx =>
    trx.selectFrom('oauth_records').select('id_hash').where('model', '=', 'Interaction').execute(),
  )
  t.equal(records.length, 120)
  t.equal((await browser.open(toFlow(client).url, { follow: false })).status, 303, 'others go on')
})

test('many addresses that try one account do not lock its person out', async t => {
  const started = await startAuthorization(t)
  const { app } = started
  const client = await registerClient(started)
  const pass = moveClock(t)
  const attempt = async (given: string, address: string, browser = createBrowser(app)) => {
    const visit = { remoteAddress: address }
    const page = await browser.open(toFlow(client, { prompt: 'login' }).url, visit)
    return browser.submit(page, { email: 'leo@globex.test', password: given }, visit)
  }

  const home = createBrowser(app)
  t.match((await attempt(password, '198.51.100.1', home)).body, 'to act for you')
  const statuses: number[] = []
  for (let count = 0; count < 31; count++)
    statuses.push((await attempt('wrong', `203.0.113.${count}`)).status)
  t.equal(statuses.filter(status => status === 403).length, 29)
  t.equal(statuses.at(-1), 429)
  t.equal((await attempt(password, '198.51.100.9')).status, 429, 'nobody new comes in for a while')
  t.match(
    (await attempt(password, '198.51.100.1', home)).body,
    'to act for you',
    'a browser that is known does',
  )
  const stolen = createBrowser(app)
  stolen.cookies.put('inbox_device', 'forged', '/oauth')
  t.equal((await attempt(password, '198.51.100.9', stolen)).status, 429)
  pass(5 * 60_000 + 1_000)
})
