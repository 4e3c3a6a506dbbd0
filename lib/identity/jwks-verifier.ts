import type { JwksKey } from './jwks.ts'
import type { KeySet } from './key-set.ts'
import { createKeyVerifier, type Expectations } from './key-verifier.ts'
import type { TokenClaims } from './token-claims.ts'
import { readTokenHeader, type TokenHeader } from './token-header.ts'
import type { TokenVerifier } from './tokens.ts'

type Verify = (token: string) => TokenClaims

/**
 * Builds the check of tokens that any key of a set may have signed. A key id that is not known has the set asked for
 * again; a key that is no longer in the set verifies nothing, however recently it did. Rejects with `KeysUnavailable`
 * when no key is known at all, which is nobody's fault but the issuer's.
 */
export function createJwksVerifier(keySet: KeySet, expected: Expectations): TokenVerifier {
  let known: { readonly keys: readonly JwksKey[]; readonly verifiers: ReadonlyMap<string, Verify> } | null =
    null

  return async token => {
    const header = readTokenHeader(token)
    let keys = await keySet.current()
    let key = findKey(keys, header)
    if (!key && header.kid !== null) {
      keys = await keySet.renew()
      key = findKey(keys, header)
    }
    if (!key) throw new Error('the token is signed with a key that is not known')
    return toVerifier(keys, key)(token)
  }

  function toVerifier(keys: readonly JwksKey[], key: JwksKey): Verify {
    if (known?.keys !== keys) {
      // A key that stays keeps what it has verified.
      const before = known?.verifiers
      const verifiers = new Map(
        keys.map(each => [each.publicKey, before?.get(each.publicKey) ?? createKeyVerifier(each, expected)]),
      )
      known = { keys, verifiers }
    }
    const verify = known.verifiers.get(key.publicKey)
    if (!verify) throw new Error('the key was withdrawn')
    return verify
  }
}

/** Without an id only where there is no choice: trying one key after another would leave it to the token. */
function findKey(keys: readonly JwksKey[], { alg, kid }: TokenHeader): JwksKey | undefined {
  if (kid !== null) return keys.find(key => key.kid === kid && key.algorithm === alg)
  const [only, ...others] = keys
  return others.length === 0 && only?.algorithm === alg ? only : undefined
}
