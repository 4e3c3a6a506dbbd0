import { toRequestedScope } from './scopes-to-ask.ts'

/**
 * The query of an authorization request with the scope as it is taken here. One that is given twice is left for the
 * library to refuse (RFC 6749 section 3.1).
 */
export function toAuthorizationQuery(query: string): string {
  const parameters = new URLSearchParams(query)
  if (parameters.getAll('scope').length > 1) return query
  parameters.set('scope', toRequestedScope(parameters.get('scope')))
  return parameters.toString()
}
