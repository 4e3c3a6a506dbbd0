import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { CommandFailure } from '../../../lib/commands/command-failure.ts'
import { writeDemoPeople, writeDemoServer } from '../../../lib/demo/demo-files.ts'
import { issueToken } from '../../../lib/demo/issue-token.ts'
import { allScopes } from '../../../lib/identity/scopes.ts'
import { loadSigningKey } from '../../../lib/identity/signing-key.ts'
import { createTokenVerifier, toAudiences } from '../../../lib/identity/tokens.ts'

const publicUrl = 'http://127.0.0.1:4010'
const people = { 'ana@acme.test': 'usr_ana', 'leo@globex.test': 'usr_leo' }

async function makeDirectory(t: Test): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kobana-token-'))
  t.teardown(() => rm(dataDir, { recursive: true, force: true }))
  return dataDir
}

async function makeDemo(t: Test): Promise<string> {
  const dataDir = await makeDirectory(t)
  await writeDemoServer(dataDir, { publicUrl, issuer: publicUrl })
  await writeDemoPeople(dataDir, people)
  return dataDir
}

async function verifierFor(dataDir: string, audience: 'api' | 'mcp') {
  const { publicKey } = await loadSigningKey(dataDir)
  return createTokenVerifier({ publicKey, issuer: publicUrl, audience: toAudiences(publicUrl)[audience] })
}

function expiryOf(token: string): number {
  const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return payload.exp - payload.iat
}

test('a token is for that person and audience, with every scope and an hour unless told otherwise', async t => {
  const dataDir = await makeDemo(t)
  const token = await issueToken({ user: 'ana@acme.test', audience: 'mcp' }, dataDir)
  const claims = (await verifierFor(dataDir, 'mcp'))(token)
  t.same(claims.user, { id: 'usr_ana' })
  t.same([...claims.scopes].sort(), [...allScopes].sort())
  t.equal(claims.defaultWorkspaceId, null)
  t.equal(expiryOf(token), 3600)
  const verifyApi = await verifierFor(dataDir, 'api')
  t.throws(() => verifyApi(token), 'the other audience refuses it')
})

test('scopes and expiry are those asked for', async t => {
  const dataDir = await makeDemo(t)
  const options = {
    user: 'LEO@globex.test',
    audience: 'api',
    scope: 'emails:read  rules:read',
    expires: '15m',
  }
  const token = await issueToken(options, dataDir)
  const claims = (await verifierFor(dataDir, 'api'))(token)
  t.same(claims.user, { id: 'usr_leo' }, 'addresses are found in any case')
  t.same(claims.scopes, ['emails:read', 'rules:read'])
  t.equal(expiryOf(token), 900)
})

test('a wrong option is named, with what would be right', async t => {
  const dataDir = await makeDemo(t)
  const good = { user: 'ana@acme.test', audience: 'api' }
  const refused: [object, RegExp][] = [
    [{ audience: 'api' }, /^--user is missing/],
    [{ ...good, user: 'eva@acme.test' }, /^--user "eva@acme.test" .*ana@acme.test, leo@globex.test$/],
    [{ ...good, user: 'constructor' }, /^--user "constructor"/],
    [{ user: 'ana@acme.test' }, /^--audience is missing: mcp .*api/],
    [{ ...good, audience: 'web' }, /^--audience cannot be "web": mcp .*api/],
    [{ ...good, scope: 'emails:read emails:destroy' }, /^--scope .*"emails:destroy".*emails:write/],
    [{ ...good, expires: '1 hour' }, /^--expires cannot be "1 hour".*15m/],
    [{ ...good, expires: '0s' }, /^--expires/],
    [{ ...good, expires: '31d' }, /^--expires/],
  ]
  for (const [options, message] of refused) {
    await t.rejects(issueToken(options, dataDir), { name: 'CommandFailure', message })
  }
})

test('before a demo was ever started the command says to start it', async t => {
  const dataDir = await makeDirectory(t)
  const options = { user: 'ana@acme.test', audience: 'api' }
  await t.rejects(
    issueToken(options, dataDir),
    new CommandFailure(`There is no demo in ${dataDir} yet: start it first, with npm run demo`),
  )
})

test('a file that somebody broke is named', async t => {
  const dataDir = await makeDemo(t)
  await writeFile(join(dataDir, 'people.json'), '{"ana@acme.test": 7}')
  await t.rejects(
    issueToken({ user: 'ana@acme.test', audience: 'api' }, dataDir),
    /people\.json cannot be used/,
  )
})
