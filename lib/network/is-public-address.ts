import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Whether an IP address is one of the public internet. Everything that is reserved for anything else is not: private,
 * loopback, link-local (where clouds answer with credentials), shared, multicast, documentation, and the IPv6 forms
 * that carry an IPv4 address, whose gateways would lead back inside. Neither is what is no address at all.
 */
export function isPublicAddress(address: string): boolean {
  // A zone (fe80::1%eth0) names an interface of this machine.
  if (isIP(address) === 0 || address.includes('%')) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  if (parsed.kind() === 'ipv4') return address !== AZURE_PLATFORM
  return parsed.match(GLOBAL_UNICAST) && !alsoReserved.some(range => parsed.match(range))
}

/** An address of the public space that answers inside a virtual machine of Azure, as its metadata service. */
const AZURE_PLATFORM = '168.63.129.16'

/** All that the IPv6 registry has given out for the internet so far. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')

/** RFC 9637 (documentation), RFC 2928 and its kin (protocol assignments). */
const alsoReserved = ['3fff::/20', '2001::/23', '2001:db8::/32', '2002::/16'].map(range =>
  ipaddr.parseCIDR(range),
)
