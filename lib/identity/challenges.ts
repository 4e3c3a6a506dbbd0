import { type Problem, problem } from '../problem/problem.ts'

/** Where a client learns what it needs to be let in. */
export interface Challenge {
  /** The URL of the resource's metadata, RFC 9728. */
  readonly metadata: string
  /** Every scope that the operation needs, not only those missing (RFC 6750 section 3.1), as the issuer calls it. */
  readonly scopes: readonly string[]
}

const refusals = {
  none: 'Send an access token: Authorization: Bearer <token>.',
  token: 'The access token is not valid here: it may have expired, or be meant for another resource.',
  key: 'The API key is not valid: it may have expired, been revoked, or be mistyped.',
  keyForMcp: 'API keys are for the REST API alone: /mcp takes access tokens of the authorization server.',
} as const

/**
 * 401. RFC 6750 section 3: no error code when no token was sent. RFC 9728 section 5.1: where to learn how to get one.
 */
export function toUnauthorized(sent: keyof typeof refusals, { metadata, scopes }: Challenge): Problem {
  const challenge = [
    ...(sent === 'none' ? [] : ['error="invalid_token"']),
    `resource_metadata="${metadata}"`,
    ...(scopes.length > 0 ? [`scope="${scopes.join(' ')}"`] : []),
  ]
  return problem('unauthorized', refusals[sent], {
    headers: { 'www-authenticate': `Bearer ${challenge.join(', ')}` },
  })
}

/** 403 for a token that does not cover the operation, so that the client can step up. */
export function toInsufficientScope({ metadata, scopes }: Challenge): Problem {
  const needed = scopes.join(' ')
  const challenge = `Bearer error="insufficient_scope", scope="${needed}", resource_metadata="${metadata}"`
  return problem('insufficient_scope', `This needs an access token with the scope ${needed}.`, {
    headers: { 'www-authenticate': challenge },
  })
}

/** 503. The token may be good: whoever sent it is to try again, and not to throw it away. */
export function toUnjudged(cause: unknown): Problem {
  const detail =
    'Access tokens cannot be verified right now: the authorization server does not give its keys.'
  return problem('unavailable', detail, { headers: { 'retry-after': '10' }, cause })
}
