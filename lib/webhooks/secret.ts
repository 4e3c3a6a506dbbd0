import { randomBytes } from 'node:crypto'

/** A new signing secret as Standard Webhooks writes it: `whsec_` and 32 random bytes in base64. */
export function createSecret(): string {
  return `${PREFIX}${randomBytes(32).toString('base64')}`
}

/** The bytes that messages are signed with. */
export function toSecretBytes(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64')
}

/** What a webhook's sealed secrets are bound to. */
export function toSecretContext({ workspaceId, id }: { workspaceId: string; id: string }): string {
  return `webhook-secret:${workspaceId}:${id}`
}

const PREFIX = 'whsec_'
