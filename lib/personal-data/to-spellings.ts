import { domainToASCII, domainToUnicode } from 'node:url'

/**
 * Every way in which an address may stand in what is held: a domain with letters beyond ASCII is written as it reads
 * (`münchen.example`) or as it stands in DNS (`xn--mnchen-3ya.example`), by whoever wrote the message. Lower case.
 */
export function toSpellings(address: string): readonly string[] {
  const lower = address.toLowerCase()
  const at = lower.lastIndexOf('@')
  const ascii = domainToASCII(lower.slice(at + 1))
  if (ascii === '') return [lower]
  const local = lower.slice(0, at + 1)
  return [...new Set([lower, `${local}${ascii}`, `${local}${domainToUnicode(ascii)}`])]
}
