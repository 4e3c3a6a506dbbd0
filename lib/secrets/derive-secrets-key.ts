import { hkdfSync } from 'node:crypto'

/**
 * The key that secrets are sealed with where nobody configured one: drawn from the development signing key (RFC 5869),
 * which stays in the data directory, so that a restart opens what was sealed before.
 */
export function deriveSecretsKey({ privateKey }: { readonly privateKey: string }): string {
  return Buffer.from(hkdfSync('sha256', privateKey, '', 'secrets', 32)).toString('base64url')
}
