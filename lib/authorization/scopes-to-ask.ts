import { allScopes, isScope, type Scope, scopes } from '../identity/scopes.ts'

/** What a person can be asked to allow: of what was requested, that which they could use in some workspace. */
export function toScopesToAsk(requested: string, permissions: ReadonlySet<string>): readonly Scope[] {
  const wanted = new Set(requested.split(' '))
  return allScopes.filter(scope => wanted.has(scope) && permissions.has(scope))
}

/** A scope in the words of the consent page. */
export function toScopeWords(name: Scope): string {
  return scopes[name]
}

/**
 * The scope of an authorization request as it is taken here: names that mean something here, or all there are where
 * none does, since then the person alone decides. Clients of OpenID Connect ask for `openid` and `offline_access`
 * whatever server they talk to; refresh tokens come without, and identity tokens not at all.
 */
export function toRequestedScope(scope: string | null): string {
  const known = (scope ?? '').split(' ').filter(isScope)
  return (known.length > 0 ? known : allScopes).join(' ')
}
