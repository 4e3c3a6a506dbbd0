import { createHash, randomBytes } from 'node:crypto'

/** What a one-time link is known by: 256 random bits, which nobody can guess. */
export function createLinkToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Whether a text could be the token of a link at all, told without asking anybody. */
export function isLinkToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}

/** What is stored of a token. A plain SHA-256 is right, as it is for API keys: there is nothing to try out. */
export function toLinkHash(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
