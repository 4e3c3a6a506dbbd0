import type { Config } from '../config/config.ts'
import { discoverJwks } from './discover-jwks.ts'
import { fetchJson } from './fetch-json.ts'
import { parseJwks } from './jwks.ts'
import { createJwksVerifier } from './jwks-verifier.ts'
import { createKeySet } from './key-set.ts'
import type { Expectations } from './key-verifier.ts'
import { createTokenVerifier, type TokenVerifier } from './tokens.ts'

export interface KeySources {
  /** Used where the configuration names no set of keys. */
  readonly publicKey: string | undefined
  /** Called once for each time that the issuer's keys cannot be fetched, when it begins. */
  readonly onOutage: (error: unknown) => void
}

/** The checks of the tokens of both audiences, as it was configured. Throws where there is no key at all. */
export function createVerifiers(
  config: Pick<Config, 'authIssuer' | 'authAudiences' | 'authMapping' | 'authJwks' | 'authPublicKey'>,
  { publicKey, onOutage }: KeySources,
): { readonly verifyApiToken: TokenVerifier; readonly verifyMcpToken: TokenVerifier } {
  const { authIssuer: issuer, authAudiences: audiences, authMapping: mapping, authJwks } = config
  // The demo signs its own tokens; elsewhere another machine does, with a clock of its own.
  const isDemo = authJwks === null && config.authPublicKey === null
  const shared = { issuer, mapping, clockTolerance: isDemo ? 0 : 5 }
  const create = authJwks === null ? fromKey(publicKey) : fromJwks(authJwks.url)
  return {
    verifyApiToken: create({ ...shared, audience: audiences.api }),
    verifyMcpToken: create({ ...shared, audience: audiences.mcp }),
  }

  /** One set for both audiences: the issuer is asked once. */
  function fromJwks(url: string | null): (expected: Expectations) => TokenVerifier {
    const load = async () => parseJwks(await fetchJson(url ?? (await discoverJwks(issuer))))
    const keySet = createKeySet({ load, onOutage })
    return expected => createJwksVerifier(keySet, expected)
  }
}

function fromKey(publicKey: string | undefined): (expected: Expectations) => TokenVerifier {
  if (publicKey === undefined) throw new Error('there is no key to verify access tokens with')
  return expected => createTokenVerifier({ ...expected, publicKey })
}
