import { createHash, timingSafeEqual } from 'node:crypto'

/** Whether an `Authorization` header carries the token. What is compared has one length, whatever was sent. */
export function isMetricsToken(header: string | undefined, token: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return header !== undefined && timingSafeEqual(hash(header), hash(`Bearer ${token}`))
}
