import type { Config } from '../config/config.ts'
import { discoverJwks } from './discover-jwks.ts'
import { fetchJson } from './fetch-json.ts'
import { type JwksKey, parseJwks } from './jwks.ts'
import { createJwksVerifier } from './jwks-verifier.ts'
import { createKeySet } from './key-set.ts'
import type { Expectations } from './key-verifier.ts'
import { type ClaimMapping, defaultMapping, grantClaim } from './token-claims.ts'
import { createTokenVerifier, type TokenVerifier } from './tokens.ts'

export interface KeySources {
  /** Used where the configuration names no set of keys. */
  readonly publicKey: string | undefined
  /** Reads the keys of the built-in authorization server; used instead of all others where it is given. */
  readonly loadOwnKeys: (() => Promise<readonly JwksKey[]>) | null
  /** Called once for each time that the issuer's keys cannot be fetched, when it begins. */
  readonly onOutage: (error: unknown) => void
}

/** The checks of the tokens of both audiences, as it was configured. Throws where there is no key at all. */
export function createVerifiers(
  config: Pick<Config, 'authIssuer' | 'authAudiences' | 'authMapping' | 'authJwks' | 'authPublicKey'>,
  { publicKey, loadOwnKeys, onOutage }: KeySources,
): { readonly verifyApiToken: TokenVerifier; readonly verifyMcpToken: TokenVerifier } {
  const { authIssuer: issuer, authAudiences: audiences, authJwks } = config
  const mapping = loadOwnKeys ? ownMapping : config.authMapping
  // The demo signs its own tokens; elsewhere another machine does, with a clock of its own.
  const isAlone = authJwks === null && config.authPublicKey === null && loadOwnKeys === null
  const shared = { issuer, mapping, clockTolerance: isAlone ? 0 : 5 }
  const create = chooseKeys()
  return {
    verifyApiToken: create({ ...shared, audience: audiences.api }),
    verifyMcpToken: create({ ...shared, audience: audiences.mcp }),
  }

  function chooseKeys(): (expected: Expectations) => TokenVerifier {
    if (loadOwnKeys) return fromSet(loadOwnKeys)
    if (authJwks === null) return fromKey(publicKey)
    return fromSet(async () => parseJwks(await fetchJson(authJwks.url ?? (await discoverJwks(issuer)))))
  }

  /** One set for both audiences: the issuer is asked once. */
  function fromSet(load: () => Promise<readonly JwksKey[]>): (expected: Expectations) => TokenVerifier {
    const keySet = createKeySet({ load, onOutage })
    return expected => createJwksVerifier(keySet, expected)
  }
}

/** What the built-in server writes into its tokens, whatever is configured for others. */
const ownMapping: ClaimMapping = { ...defaultMapping, grant: grantClaim }

function fromKey(publicKey: string | undefined): (expected: Expectations) => TokenVerifier {
  if (publicKey === undefined) throw new Error('there is no key to verify access tokens with')
  return expected => createTokenVerifier({ ...expected, publicKey })
}
