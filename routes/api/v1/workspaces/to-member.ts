import type { Principal } from '../../../../lib/identity/principal.ts'
import type { Member } from '../../../../lib/workspaces/repository.ts'

/** The caller, as the owner of the workspaces that are asked for. */
export function toMember({ id, organizationId, onlyWorkspaceId }: Principal): Member {
  return { organizationId, userId: id, onlyWorkspaceId }
}
