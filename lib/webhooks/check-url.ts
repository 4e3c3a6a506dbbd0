import { isIP } from 'node:net'
import { isPublicAddress } from '../network/is-public-address.ts'
import { problem } from '../problem/problem.ts'

/**
 * A webhook's URL as it is used and shown, written the way the URL standard does. Throws `validation_failed` for one
 * that events are never sent to. Names are not resolved here: what they lead to is checked at every attempt, and may
 * change in between.
 */
export function checkUrl(text: string, { allowPrivate }: { allowPrivate: boolean }): string {
  if (!URL.canParse(text)) throw refusal('must be a URL such as https://example.com/hooks')
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    throw refusal('must begin with https://')
  if (url.username !== '' || url.password !== '') throw refusal('must not contain a user name or password')
  if (url.hash !== '') throw refusal('must not contain a fragment')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (!allowPrivate && ((isIP(host) !== 0 && !isPublicAddress(host)) || isLocalName(host))) {
    throw refusal('must not be an address outside of the public internet')
  }
  return url.href
}

/** RFC 6761, section 6.3: never anything but the machine itself. */
function isLocalName(host: string): boolean {
  return /(^|\.)localhost\.?$/.test(host)
}

function refusal(message: string) {
  return problem('validation_failed', `url ${message}.`, {
    errors: [{ path: 'url', code: 'invalid_url', message }],
  })
}
