import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { Agent, buildConnector } from 'undici'
import { createCheckedLookup } from './checked-lookup.ts'
import { isPublicAddress } from './is-public-address.ts'

/** All times are in milliseconds. */
export interface GuardedAgentOptions {
  /** Also connects to addresses that are not public. For development and tests. */
  readonly allowPrivate: boolean
  /** Until a connection is there, its TLS included. Default 5,000. */
  readonly connectTimeout?: number
  /** From the request to the answer's headers. Default 10,000. */
  readonly headersTimeout?: number
  /** Between two parts of the answer's body. Default 5,000. */
  readonly bodyTimeout?: number
  /** Every address of a name; rejects for a name that has none. Default: the system's resolver. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>
  /** What opens sockets; undici's unless given. */
  readonly buildConnector?: typeof buildConnector
}

/** The connection was refused, before any packet: the address is not one of the public internet. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
  readonly code = 'address_refused'
}

/**
 * An undici dispatcher for URLs that strangers chose. It looks at the address that a socket is about to connect to,
 * where literals of every notation and resolved names have become the same thing; connects to exactly what it looked
 * at, so that a name which resolves differently the next time gains nothing; and refuses a name when any one of its
 * addresses is refused. Each request has a connection of its own, so each is checked. It follows no redirect unless
 * a caller composes that in, and undoes no compression.
 */
export function createGuardedAgent(options: GuardedAgentOptions): Agent {
  const { allowPrivate, resolve = resolveAll, buildConnector: build = buildConnector } = options
  const timeout = options.connectTimeout ?? 5_000

  const check = async (hostname: string): Promise<readonly string[]> => {
    const addresses = isIP(hostname) === 0 ? await withDeadline(resolve(hostname), timeout) : [hostname]
    if (addresses.length === 0) throw new AddressRefused(`${hostname} has no address`)
    if (!allowPrivate && !addresses.every(isPublicAddress)) {
      throw new AddressRefused(`${hostname} is not an address of the public internet`)
    }
    return addresses
  }

  const connect: buildConnector.connector = (target, callback) => {
    check(target.hostname).then(
      addresses => build({ timeout, lookup: createCheckedLookup(addresses) })(target, callback),
      error => callback(error instanceof Error ? error : new Error(String(error)), null),
    )
  }
  return new Agent({
    connect,
    // No keep-alive: idle sockets to receivers of all tenants would pile up.
    pipelining: 0,
    headersTimeout: options.headersTimeout ?? 10_000,
    bodyTimeout: options.bodyTimeout ?? 5_000,
    maxHeaderSize: 16_384,
  })
}

async function resolveAll(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true })
  return found.map(({ address }) => address)
}

/** The system's resolver takes as long as it likes. */
async function withDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(Object.assign(new Error('the name was not resolved in time'), { code: 'ETIMEOUT' }))
    }, milliseconds)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
