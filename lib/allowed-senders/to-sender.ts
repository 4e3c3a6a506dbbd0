import { domainToASCII } from 'node:url'

/**
 * A sender or a pattern in the one form in which they are compared: lower case, the domain as it stands in DNS
 * (`münchen.example` is `xn--mnchen-3ya.example`). What has no domain, or one that cannot be, stays as it is.
 */
export function toSender(text: string): string {
  const lower = text.trim().toLowerCase()
  const at = lower.lastIndexOf('@')
  if (at === -1) return lower
  const domain = lower.slice(at + 1)
  // Only where it matters: for what is ASCII already the conversion would forgive spellings that are wrong.
  const ascii = /^[\x20-\x7e]*$/.test(domain) ? domain : domainToASCII(domain)
  return `${lower.slice(0, at)}@${ascii || domain}`
}
