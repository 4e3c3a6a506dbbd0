import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

/** Seals what must be kept and must not be read where it is kept: in the database, and in its backups. */
export interface SecretBox {
  /** What everything begins with that is sealed now: what begins otherwise is sealed with an older key. */
  readonly prefix: string
  /** `context` says what the secret belongs to; it opens with the same context only, so that rows cannot be swapped. */
  seal(secret: string, context: string): string
  /** Throws where the text was altered, belongs to another context, or was sealed with a key that is gone. */
  open(sealed: string, context: string): string
}

/**
 * AES-256-GCM under keys drawn from the configured ones (RFC 5869). The first key seals, all open, so that a key is
 * replaced by putting the new one first and removing the old one when nothing sealed with it is left.
 *
 * @param keys at least one, each of at least 32 characters
 */
export function createSecretBox(keys: readonly string[]): SecretBox {
  const derived = keys.map(deriveKey)
  const [first] = derived
  if (!first) throw new Error('SECRETS_KEY is not set: there is no key to seal secrets with')
  const byName = new Map(derived.map(key => [key.name, key]))
  const prefix = `${VERSION}.${first.name}.`

  return {
    prefix,
    seal(secret, context) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', first.bytes, iv).setAAD(Buffer.from(context))
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return `${prefix}${Buffer.concat([iv, text, cipher.getAuthTag()]).toString('base64url')}`
    },
    open(sealed, context) {
      const [version, name = '', data = ''] = sealed.split('.')
      const key = version === VERSION ? byName.get(name) : undefined
      if (!key) throw new Error('a secret was sealed with a key that SECRETS_KEY does not hold')
      const bytes = Buffer.from(data, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      })
      decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES))
      return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}

const VERSION = 'v1'
const IV_BYTES = 12
const TAG_BYTES = 16

/** The name tells which key to take; it is drawn from the derived key and tells nothing of it. */
function deriveKey(key: string): { name: string; bytes: Buffer } {
  const bytes = Buffer.from(hkdfSync('sha256', key, '', 'secret-box', 32))
  return { name: createHash('sha256').update(bytes).digest('base64url').slice(0, 8), bytes }
}
