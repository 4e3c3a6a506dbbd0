import { hkdfSync } from 'node:crypto'
import type { SigningKey } from '../identity/signing-key.ts'

/**
 * What the demo's people log in with: drawn from the signing key of the data directory (RFC 5869), so that it is the
 * same at every start, another one in every directory, and stored nowhere. Four groups that can be read aloud, without
 * letters that look like digits: 80 bits.
 */
export function deriveDemoPassword(key: Pick<SigningKey, 'privateKey'>): string {
  const characters = [...derive(key, 'demo-password', 16)].map(byte => alphabet[byte % alphabet.length])
  return characters.join('').replace(/.{4}(?=.)/g, '$&-')
}

/** Names the password without telling anything of it. */
export function deriveDemoPasswordName(key: Pick<SigningKey, 'privateKey'>): string {
  return derive(key, 'demo-password-name', 8).toString('hex')
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

function derive({ privateKey }: Pick<SigningKey, 'privateKey'>, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', privateKey, '', purpose, bytes))
}
