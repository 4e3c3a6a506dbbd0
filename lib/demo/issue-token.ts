import { CommandFailure } from '../commands/command-failure.ts'
import { allScopes, type Scope } from '../identity/scopes.ts'
import { loadSigningKey } from '../identity/signing-key.ts'
import { createTokenSigner, toAudiences } from '../identity/tokens.ts'
import { type DemoPeople, readDemoFiles } from './demo-files.ts'

/** The values of the token command's options, as they were typed. */
export interface TokenOptions {
  user?: string | undefined
  audience?: string | undefined
  /** Scopes with blanks between; all of them when absent. */
  scope?: string | undefined
  /** A number and s, m, h or d; 1h when absent. */
  expires?: string | undefined
}

const clientId = 'token-command'
const longest = 30 * 86_400

/**
 * Signs an access token for a person of the demo in `dataDir`, running or not: only files are read. Throws a
 * CommandFailure that names the option that cannot be used.
 */
export async function issueToken(options: TokenOptions, dataDir: string): Promise<string> {
  const audience = toAudience(options.audience)
  const scopes = toScopes(options.scope)
  const lifetime = toSeconds(options.expires ?? '1h')
  const user = options.user
  if (user === undefined) throw new CommandFailure('--user is missing: whose token, such as ana@acme.test')

  const files = await readDemoFiles(dataDir)
  if (!files) {
    throw new CommandFailure(`There is no demo in ${dataDir} yet: start it first, with npm run demo`)
  }
  const { privateKey } = await loadSigningKey(dataDir)
  return createTokenSigner(privateKey)({
    issuer: files.server.issuer,
    audience: toAudiences(files.server.publicUrl)[audience],
    userId: toUserId(user, files.people),
    clientId,
    scopes,
    lifetime,
  })
}

function toAudience(text: string | undefined): 'mcp' | 'api' {
  if (text === 'mcp' || text === 'api') return text
  const fault = text === undefined ? 'is missing' : `cannot be ${JSON.stringify(text)}`
  throw new CommandFailure(`--audience ${fault}: mcp for POST /mcp, api for /api/v1`)
}

function toScopes(text: string | undefined): readonly Scope[] {
  if (text === undefined) return allScopes
  return text
    .split(' ')
    .filter(name => name !== '')
    .map(name => {
      const scope = allScopes.find(known => known === name)
      if (scope) return scope
      throw new CommandFailure(
        `--scope has an unknown scope ${JSON.stringify(name)}. Known are: ${allScopes.join(' ')}`,
      )
    })
}

function toSeconds(text: string): number {
  const units: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 }
  const [, count, unit] = /^([1-9]\d{0,6})([smhd])$/.exec(text) ?? []
  const seconds = Number(count) * (units[unit ?? ''] ?? Number.NaN)
  if (seconds <= longest) return seconds
  throw new CommandFailure(
    `--expires cannot be ${JSON.stringify(text)}: a number and s, m, h or d, at most 30d, such as 15m or 1h`,
  )
}

function toUserId(user: string, people: DemoPeople): string {
  const id = Object.hasOwn(people, user.toLowerCase()) ? people[user.toLowerCase()] : undefined
  if (id !== undefined) return id
  const known = Object.keys(people).sort().join(', ')
  throw new CommandFailure(`--user ${JSON.stringify(user)} is nobody here. Known are: ${known}`)
}
