import { toAsciiDomain } from '../fields/email-address.ts'

/**
 * A sender or a pattern in the one form in which they are compared: lower case, the domain as it stands in DNS
 * (`münchen.example` is `xn--mnchen-3ya.example`). What has no domain, or one that cannot be, stays as it is.
 */
export function toSender(text: string): string {
  return toAsciiDomain(text.trim().toLowerCase())
}
