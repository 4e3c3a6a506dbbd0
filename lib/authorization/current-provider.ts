import type { Provider } from 'oidc-provider'
import { createProvider, type ProviderOptions } from './create-provider.ts'
import { type PublicJwk, type SigningKeys, toPublicJwk } from './signing-keys.ts'

/** The protocol with the keys of the moment. */
export interface CurrentProvider {
  get(): Promise<Provider>
  /** The keys that its tokens can be verified with. */
  publicKeys(): Promise<readonly PublicJwk[]>
}

/** Milliseconds between two looks at the keys; a new one is published for longer before it signs. */
const freshFor = 300_000

interface Current {
  readonly keys: readonly PublicJwk[]
  readonly provider: Provider
}

/** @param onCreate called for each instance, with a change of keys */
export function createCurrentProvider(
  options: ProviderOptions,
  { keys, onCreate }: { readonly keys: SigningKeys; readonly onCreate: (provider: Provider) => void },
): CurrentProvider {
  let current: Promise<Current> | null = null
  let loadedAt = Number.NEGATIVE_INFINITY

  return {
    get: async () => (await find()).provider,
    publicKeys: async () => (await find()).keys,
  }

  async function find(): Promise<Current> {
    if (current && Date.now() - loadedAt < freshFor) return current
    const before = current
    loadedAt = Date.now()
    const loading = load(before)
    current = loading
    // What failed is tried again by the next request, which does not wait longer for it than this one.
    loading.catch(() => {
      if (current === loading) {
        current = null
        loadedAt = Number.NEGATIVE_INFINITY
      }
    })
    return loading
  }

  async function load(before: Promise<Current> | null): Promise<Current> {
    const loaded = await keys.load()
    const known = await before?.catch(() => null)
    const isSame = known && toNames(known.keys) === toNames(loaded)
    if (isSame) return known
    const provider = createProvider(options, loaded)
    onCreate(provider)
    return { keys: loaded.map(toPublicJwk), provider }
  }
}

function toNames(keys: readonly { readonly kid: string }[]): string {
  return keys.map(({ kid }) => kid).join(' ')
}
