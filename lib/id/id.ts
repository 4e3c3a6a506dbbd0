import { randomFillSync } from 'node:crypto'
import { z } from 'zod'

/** What an id names: the part before the underscore. */
export type IdPrefix = (typeof idPrefixes)[number]

/** Every prefix in use, one per kind of record. */
export const idPrefixes = [
  'org',
  'usr',
  'wsp',
  'inb',
  'eml',
  'att',
  'ext',
  'opr',
  'rul',
  'whk',
  'dlv',
  'evt',
  'aud',
  'key',
  'era',
] as const

/**
 * A new id: the prefix, an underscore and 26 characters of lower-case Crockford base32 that spell a UUIDv7
 * (RFC 9562, section 5.7). Ids of one process sort in the order they were made, those of different processes
 * in the order of their milliseconds.
 */
export function createId<Prefix extends IdPrefix>(prefix: Prefix): `${Prefix}_${string}` {
  return `${prefix}_${toBase32(nextUuid())}`
}

/**
 * A zod string that accepts ids of one kind. It carries a plain pattern, so that the JSON Schema of whatever
 * uses it says the same. The first character is 0 to 7: 26 characters hold 130 bits, an id has 128.
 */
export function idSchema(prefix: IdPrefix) {
  return z.string().regex(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`))
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const random = Buffer.alloc(4096)
let randomOffset = random.length
let lastMilliseconds = 0
let sequence = 0

/**
 * The 12 bits after the timestamp count within one millisecond (RFC 9562, section 6.2, method 1), starting at
 * a random value in the lower half; when they run out, the clock is advanced by one. The bytes are good until the next
 * call.
 */
function nextUuid(): Uint8Array {
  const now = Date.now()
  if (now > lastMilliseconds) {
    lastMilliseconds = now
    sequence = takeRandom(2).readUInt16BE() & 0x7ff
  } else if (++sequence > 0xfff) {
    lastMilliseconds += 1
    sequence = takeRandom(2).readUInt16BE() & 0x7ff
  }
  uuid.writeUIntBE(lastMilliseconds, 0, 6)
  uuid.writeUInt16BE(0x7000 | sequence, 6)
  uuid.set(takeRandom(8), 8)
  uuid[8] = 0x80 | ((uuid[8] ?? 0) & 0x3f)
  return uuid
}

const uuid = Buffer.alloc(16)

/** Random bytes from a block filled ahead: one system call per thousand ids rather than per id. */
function takeRandom(length: number): Buffer {
  if (randomOffset + length > random.length) {
    randomFillSync(random)
    randomOffset = 0
  }
  randomOffset += length
  return random.subarray(randomOffset - length, randomOffset)
}

/** 128 bits behind two zeros are 26 times five. Numbers and no BigInt, of which this would make fifty. */
function toBase32(bytes: Uint8Array): string {
  let text = ''
  let pending = 0
  let count = 2
  for (const byte of bytes) {
    pending = (pending << 8) | byte
    count += 8
    while (count >= 5) {
      count -= 5
      text += alphabet[(pending >> count) & 31]
    }
    pending &= (1 << count) - 1
  }
  return text
}
