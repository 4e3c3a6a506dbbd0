import { allScopes, isScope, type Scope, scopes, toImpliedScope } from '../identity/scopes.ts'

/** What a person can be asked to allow: of what was requested, that which they could use in some workspace. */
export function toScopesToAsk(requested: string, permissions: ReadonlySet<string>): readonly Scope[] {
  const wanted = new Set(requested.split(' '))
  return allScopes.filter(scope => wanted.has(scope) && permissions.has(scope))
}

/**
 * What of that is granted: what was left ticked, less the writing of what may not be read. Writing implies reading, so
 * that who unticks `emails:read` and overlooks `emails:write` would have allowed what they refused.
 */
export function toGrantedScopes(asked: readonly Scope[], ticked: ReadonlySet<string>): readonly Scope[] {
  const refused = new Set<string>(asked.filter(scope => !ticked.has(scope)))
  return asked.filter(scope => !refused.has(scope) && !refused.has(toImpliedScope(scope) ?? ''))
}

/** A scope in the words of the consent page: all that it allows, also where what it implies has no line of its own. */
export function toScopeWords(name: Scope, asked: readonly Scope[]): string {
  const implied = asked.find(scope => scope === toImpliedScope(name)) ? null : toImpliedScope(name)
  if (implied === null || !isScope(implied)) return scopes[name]
  const [first = '', ...rest] = scopes[implied]
  return `${scopes[name]}; also: ${first.toLowerCase()}${rest.join('')}`
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
