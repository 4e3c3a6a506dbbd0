/**
 * What an access token may be used for, in the words shown when a person consents. Each is needed by some operation:
 * nobody is asked to allow what nothing does.
 */
export const scopes = {
  'workspaces:read': 'See your workspaces',
  'workspaces:write': 'Create and rename workspaces',
  'members:read': 'See who belongs to a workspace and in which role',
  'members:write': 'Invite, disable and remove people, change their roles, and let them set passwords',
  'inboxes:read': 'See inboxes and who may send to them',
  'inboxes:write': 'Create, change and delete inboxes, and who may send to them',
  'emails:read': 'Read e-mails, their attachments, what was extracted from them, and statistics',
  'emails:write': 'Label, delete, reprocess and add e-mails',
  'rules:read': 'See rules and try them on e-mails',
  'rules:write': 'Create, change and delete rules',
  'webhooks:read': 'See webhooks and their deliveries',
  'webhooks:write': 'Create, change and delete webhooks, and deliver events again',
  'operations:read': 'Follow work that goes on in the background',
  'audit:read': 'See who did what',
} as const satisfies Record<string, string>

export type Scope = keyof typeof scopes

/** Every scope, in the order in which they are listed above. */
export const allScopes = Object.keys(scopes) as Scope[]

export function isScope(name: string): name is Scope {
  return Object.hasOwn(scopes, name)
}

/** The scope of reading what this one lets change: writing implies it. Null for a scope of reading. */
export function toImpliedScope(name: string): string | null {
  return name.endsWith(':write') ? name.replace(/:write$/, ':read') : null
}

/** Writing implies reading the same resource; spelled out once, so that every check is a plain lookup. Sorted. */
export function withImpliedScopes(names: readonly string[]): string[] {
  const all = new Set(names)
  for (const name of names) {
    const implied = toImpliedScope(name)
    if (implied !== null) all.add(implied)
  }
  return [...all].sort()
}
