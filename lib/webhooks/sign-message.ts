import { createHmac } from 'node:crypto'
import { toSecretBytes } from './secret.ts'

/** What is sent: the same bytes at every attempt but for the time of signing. */
export interface WebhookMessage {
  /** The event's id: the same at every attempt, by which a receiver knows what it has had. */
  readonly id: string
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly body: string
}

/**
 * The headers of Standard Webhooks, version 1: an HMAC-SHA256 over id, time and body with every secret that is valid,
 * signatures separated by blanks, so that a receiver verifies with the old secret or the new.
 */
export function signMessage(message: WebhookMessage, secrets: readonly string[]): Record<string, string> {
  const { id, timestamp, body } = message
  const signatures = secrets.map(secret => {
    const hmac = createHmac('sha256', toSecretBytes(secret)).update(`${id}.${timestamp}.${body}`)
    return `v1,${hmac.digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
