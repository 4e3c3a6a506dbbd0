import { allScopes, type Scope } from './scopes.ts'

/** What a role allows; named like scopes, since both guard the same operations. */
export type Permission = Scope

// Who did what is for admins: it shows what everybody does, other admins included.
const reading = allScopes.filter(scope => scope.endsWith(':read') && scope !== 'audit:read')

/**
 * What each role may do in its workspace; the only place where that is said. An operator works with mail and
 * rules; what opens a door to the outside (who may send, where webhooks go, who is an admin) is for admins.
 */
export const roles = {
  admin: new Set<Permission>(allScopes),
  operator: new Set<Permission>([...reading, 'emails:write', 'rules:write']),
  viewer: new Set<Permission>(reading),
} as const satisfies Record<string, ReadonlySet<Permission>>

export type Role = keyof typeof roles

/** Whether a permission is to change what only admins decide, such as who else may do what, or where data goes. */
export function isForAdmins(permission: string): boolean {
  const operator: ReadonlySet<string> = roles.operator
  return permission.endsWith(':write') && !operator.has(permission)
}
