import type { Membership, Principal } from './principal.ts'
import { roles } from './roles.ts'

/** The person's place in a workspace, or null where there is none: another's workspace, or one that is not there. */
export function findMembership(principal: Principal, workspaceId: string): Membership | null {
  return principal.memberships.find(membership => membership.workspaceId === workspaceId) ?? null
}

/** What the person may do in one workspace; nothing in a workspace that is not theirs. */
export function permissionsIn(principal: Principal, workspaceId: string): ReadonlySet<string> {
  const membership = findMembership(principal, workspaceId)
  return membership ? roles[membership.role] : new Set()
}

/** What the person may do in at least one workspace. */
export function permissionsAnywhere(principal: Pick<Principal, 'memberships'>): ReadonlySet<string> {
  const all = new Set<string>()
  for (const { role } of principal.memberships) {
    for (const permission of roles[role]) all.add(permission)
  }
  return all
}
