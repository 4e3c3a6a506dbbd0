import { domainToASCII } from 'node:url'
import { z } from 'zod'

/**
 * An e-mail address, in lower case: the dot-atom form of RFC 5321, section 4.1.2, which is what companies publish.
 * Quoted local parts and address literals are refused.
 */
export const emailAddress = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .refine(isAddress, 'must be an e-mail address such as invoices@acme.test')
  .meta({ format: 'email' })

/** The same of a person, who may write the domain in Unicode: it becomes what stands in DNS. */
export const personalAddress = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .overwrite(toAsciiDomain)
  .refine(isAddress, 'must be an e-mail address such as ana@acme.test')
  .meta({ format: 'email' })

/** `ana@münchen.example` as `ana@xn--mnchen-3ya.example`; what has no domain, or one that cannot be, stays. */
export function toAsciiDomain(address: string): string {
  const at = address.lastIndexOf('@')
  const domain = address.slice(at + 1)
  // Only where it matters: for what is ASCII already the conversion would forgive spellings that are wrong.
  if (at === -1 || /^[\x20-\x7e]*$/.test(domain)) return address
  return `${address.slice(0, at)}@${domainToASCII(domain) || domain}`
}

function isAddress(value: string): boolean {
  return /^(?=[^@]{1,64}@)[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/.test(
    value,
  )
}
