import { hkdfSync } from 'node:crypto'
import type { SigningKey } from './signing-key.ts'

/**
 * The secret that confirmations are signed with where nobody configured one: drawn from the development signing key,
 * so that a restart, and a second process on the same data directory, know the questions of the first. It is a key of
 * its own all the same: neither can be learnt from the other's use (RFC 5869).
 */
export function deriveConfirmationKey({ privateKey }: Pick<SigningKey, 'privateKey'>): string {
  return Buffer.from(hkdfSync('sha256', privateKey, '', 'mcp-confirmation', 32)).toString('base64url')
}
