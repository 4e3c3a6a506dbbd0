import type { Tenant } from '../database/database.ts'
import { permissionsIn } from '../identity/permissions.ts'
import type { Principal } from '../identity/principal.ts'
import { problem } from '../problem/problem.ts'

/** Who manages keys, and whose. */
export interface Holder {
  readonly userId: string
  /** What the access token covers: a key never covers more. */
  readonly scopes: readonly string[]
  /** Whether the keys of the others in the workspace are seen, too. */
  readonly seesAll: boolean
  /** Whether the keys of the others in the workspace may be revoked. */
  readonly revokesAll: boolean
}

/**
 * Others' keys are for admins, who decide about members, with a token that covers members. Throws `forbidden` for an
 * API key: one that could make others would outlive its own expiry and its revocation.
 */
export function toHolder(principal: Principal, { workspaceId }: Tenant): Holder {
  if (principal.onlyWorkspaceId !== null) {
    throw problem('forbidden', 'API keys are managed with an access token, not with an API key.')
  }
  const { id: userId, scopes } = principal
  const isAdmin = permissionsIn(principal, workspaceId).has('members:write')
  return {
    userId,
    scopes,
    seesAll: isAdmin && scopes.includes('members:read'),
    revokesAll: isAdmin && scopes.includes('members:write'),
  }
}
