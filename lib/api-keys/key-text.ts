import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** What every key begins with, so that people, and scanners of repositories, know one when they see one. */
export const keyPrefix = 'kbn_'

/** How much of a key is kept to recognize it by. Of 256 random bits it gives away 24. */
const hintLength = keyPrefix.length + 4

/** A new key, which nobody can guess: 256 random bits, and a checksum that tells a typing mistake from a key. */
export function createKeyText(): string {
  const body = randomBytes(32).toString('base64url')
  return `${keyPrefix}${body}${toChecksum(body)}`
}

/** Whether a text could be a key at all, told without asking anybody. */
export function isKeyText(text: string): boolean {
  const [, body = '', checksum] = /^kbn_([\w-]{43})([0-9a-f]{8})$/.exec(text) ?? []
  return checksum !== undefined && checksum === toChecksum(body)
}

/**
 * What is stored of a key. A plain SHA-256 is right here: a slow hash protects what people choose and others can guess,
 * and nobody can go through 2^256 keys at any speed; it would only slow down every request.
 */
export function toKeyHash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export function toKeyHint(text: string): string {
  return text.slice(0, hintLength)
}

function toChecksum(body: string): string {
  return crc32(body).toString(16).padStart(8, '0')
}
