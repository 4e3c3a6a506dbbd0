import type { JwksKey } from './jwks.ts'

/** The keys of an issuer, as far as they are known. */
export interface KeySet {
  /** What is known now. Rejects with `KeysUnavailable` when nothing is. */
  current(): Promise<readonly JwksKey[]>
  /** For a token whose key is not among those: asks the issuer, unless that was done a moment ago. */
  renew(): Promise<readonly JwksKey[]>
}

/** No key of the issuer is known and it does not answer: nobody's token can be judged. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable'
}

/** All times are in milliseconds. */
export interface KeySetOptions {
  readonly load: () => Promise<readonly JwksKey[]>
  /** Called once for each outage, when it begins. */
  readonly onOutage: (error: unknown) => void
  /** After which keys are asked for again, in the background. Default 10 minutes. */
  readonly freshFor?: number
  /** For how long they are used when the issuer does not answer. Default a day. */
  readonly usableFor?: number
  /** Between two questions, whatever is asked for: anybody can invent key ids. Default 10 seconds. */
  readonly coolDown?: number
}

export function createKeySet({ load, onOutage, ...times }: KeySetOptions): KeySet {
  const { freshFor = 600_000, usableFor = 86_400_000, coolDown = 10_000 } = times
  let keys: readonly JwksKey[] = []
  let loadedAt = Number.NEGATIVE_INFINITY
  let askedAt = Number.NEGATIVE_INFINITY
  let isAway = false
  let asking: Promise<void> | null = null

  return { current, renew }

  async function current(): Promise<readonly JwksKey[]> {
    const age = Date.now() - loadedAt
    if (age < freshFor) return keys
    const asked = ask()
    // Old keys are good enough for this request; what the question brings is for the next ones.
    if (age < usableFor) return keys
    await asked
    if (Date.now() - loadedAt < usableFor) return keys
    throw new KeysUnavailable('no key of the issuer is known')
  }

  async function renew(): Promise<readonly JwksKey[]> {
    await ask()
    return keys
  }

  /** Never rejects. All who ask meanwhile wait for the same answer. */
  function ask(): Promise<void> {
    if (asking) return asking
    if (Date.now() - askedAt < coolDown) return Promise.resolve()
    askedAt = Date.now()
    asking = load()
      .then(
        loaded => {
          keys = loaded
          loadedAt = Date.now()
          isAway = false
        },
        error => {
          if (!isAway) onOutage(error)
          isAway = true
        },
      )
      .finally(() => {
        asking = null
      })
    return asking
  }
}
