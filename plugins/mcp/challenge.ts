import type { FastifyRequest } from 'fastify'
import type { Refusal } from './outcome.ts'
import type { Server } from './server.ts'

/**
 * Adds `WWW-Authenticate` to the refusals that a client answers by getting another token; leaves the others alone.
 * RFC 6750, 3, with RFC 9728's resource_metadata. Without a token there is no error to name, only the way in.
 */
export function withChallenge(
  refusal: Refusal,
  { options, registry }: Server,
  request: FastifyRequest,
): Refusal {
  const isStepUp = refusal.code === 'insufficient_scope'
  if (refusal.code !== 'unauthorized' && !isStepUp) return refusal
  const error = isStepUp ? 'insufficient_scope' : hasToken(request) ? 'invalid_token' : null
  const scopes = (refusal.scopes ?? registry.scopes).map(scope => `${options.scopePrefix}${scope}`)
  const parameters = [
    ...(options.resourceMetadataUrl ? [`resource_metadata="${options.resourceMetadataUrl}"`] : []),
    ...(scopes.length > 0 ? [`scope="${scopes.join(' ')}"`] : []),
    ...(error ? [`error="${error}"`] : []),
  ]
  const challenge = parameters.length > 0 ? `Bearer ${parameters.join(', ')}` : 'Bearer'
  return { ...refusal, headers: { ...refusal.headers, 'www-authenticate': challenge } }
}

/** True when the request tried to authenticate with a bearer token, valid or not. */
export function hasToken(request: FastifyRequest): boolean {
  return /^bearer +\S/i.test(request.headers.authorization ?? '')
}
