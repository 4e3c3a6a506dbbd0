import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { takeTurn } from './take-turn.ts'

/** What a hash costs to compute; it stands in every hash, so that it can grow without locking anybody out. */
interface Cost {
  /** Binary logarithm of scrypt's N. */
  readonly ln: number
  readonly r: number
  readonly p: number
}

interface Hash extends Cost {
  readonly salt: Buffer
  readonly key: Buffer
}

/**
 * Binary logarithm of scrypt's N, unless another one is configured. With r and p below it is one of the settings that the
 * OWASP Password Storage Cheat Sheet holds for equal: 32 MiB, and three passes of it.
 */
export const defaultPasswordCost = 15
const [r, p] = [8, 3]
const saltBytes = 16
const keyBytes = 32

/** What an account without a password is compared with: no password leads to a key that was drawn at random. */
const nobodys = { salt: randomBytes(saltBytes), key: randomBytes(keyBytes) }

/**
 * A password as it is stored: scrypt under a salt of its own, with its parameters, in the form of a PHC string.
 * Takes about a quarter of a second at the default cost; rejects with `unavailable` when too many wait already.
 *
 * @param ln what it costs, `PASSWORD_COST`: each step doubles time and memory
 */
export async function hashPassword(password: string, ln: number): Promise<string> {
  const salted = { ln, r, p, salt: randomBytes(saltBytes) }
  return toText({ ...salted, key: await deriveKey(password, salted, keyBytes) })
}

/**
 * Whether it is the password that was hashed. Null, for somebody who has none or does not exist, takes as long as any
 * other: how long it takes tells nobody who has an account. Rejects as above, and for a text that is no hash.
 *
 * @param ln what a hash costs that is made today
 */
export async function passwordMatches(password: string, hash: string | null, ln: number): Promise<boolean> {
  const wanted = hash === null ? { ln, r, p, ...nobodys } : parseHash(hash)
  const key = await deriveKey(password, wanted, wanted.key.length)
  return timingSafeEqual(key, wanted.key)
}

/** Whether a password hashed now would cost the same; if not, hash it anew when its owner has just given it. */
export function isCurrentHash(hash: string, ln: number): boolean {
  const stored = parseHash(hash)
  return stored.ln === ln && stored.r === r && stored.p === p
}

// Normalized, because keyboards and systems spell the same character in several ways (NIST SP 800-63B, 3.1.1.2).
function deriveKey(password: string, { ln, r, p, salt }: Cost & { salt: Buffer }, length: number) {
  const cost: ScryptOptions = { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r }
  return takeTurn(
    () =>
      new Promise<Buffer>((resolve, reject) => {
        scrypt(password.normalize('NFKC'), salt, length, cost, (error, key) => {
          if (error) reject(error)
          else resolve(key)
        })
      }),
  )
}

function toText({ ln, r, p, salt, key }: Hash): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$${toBase64(salt)}$${toBase64(key)}`
}

function toBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

function parseHash(text: string): Hash {
  const match = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]{16,})\$([\w+/]{22,})$/.exec(text)
  if (!match) throw new Error('a stored password hash has a form that is not known')
  const [ln = 0, r = 0, p = 0] = match.slice(1, 4).map(Number)
  const [salt, key] = match.slice(4).map(part => Buffer.from(part, 'base64'))
  if (!salt || !key) throw new Error('a stored password hash lacks its salt or key')
  return { ln, r, p, salt, key }
}
