import { isIP, type LookupFunction } from 'node:net'

/**
 * What a socket asks in place of the resolver: it gives the addresses that were checked and nothing else, so that the
 * one which is connected to is one of them.
 */
export function createCheckedLookup(addresses: readonly string[]): LookupFunction {
  const found = addresses.map(address => ({ address, family: isIP(address) }))
  return (_hostname, { all, family }, callback) => {
    const wanted = found.filter(
      entry => !family || entry.family === family || `IPv${entry.family}` === family,
    )
    const [first] = wanted
    if (!first) return callback(new Error('no address of the wanted family'), '', 0)
    if (all) return callback(null, wanted)
    callback(null, first.address, first.family)
  }
}
