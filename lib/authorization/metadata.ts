import { allScopes } from '../identity/scopes.ts'
import { clientAuthMethods, grantTypes } from './client-policy.ts'

/** Where the endpoints are, after the issuer. */
export const endpoints = {
  authorization: '/auth',
  token: '/token',
  registration: '/register',
  revocation: '/revoke',
  jwks: '/jwks',
} as const

/**
 * What the authorization server says of itself: RFC 8414, with the members that clients of OpenID Connect Discovery
 * insist on. One document, wherever it is asked for.
 */
export function toServerMetadata(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}${endpoints.authorization}`,
    token_endpoint: `${issuer}${endpoints.token}`,
    registration_endpoint: `${issuer}${endpoints.registration}`,
    revocation_endpoint: `${issuer}${endpoints.revocation}`,
    jwks_uri: `${issuer}${endpoints.jwks}`,
    scopes_supported: allScopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: grantTypes,
    token_endpoint_auth_methods_supported: clientAuthMethods,
    revocation_endpoint_auth_methods_supported: clientAuthMethods,
    code_challenge_methods_supported: ['S256'],
    // RFC 9207.
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    // Required by OpenID Connect Discovery; no identity tokens are issued.
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['EdDSA'],
  }
}

/**
 * The paths at which clients look for it (RFC 8414 section 3.1, OpenID Connect Discovery section 4.1, and the forms in
 * between), as this server sees them: with the path of the public URL, and without, for a proxy that takes it away.
 */
export function toMetadataPaths(issuer: string): readonly string[] {
  const path = new URL(issuer).pathname.replace(/\/+$/, '')
  const kinds = ['oauth-authorization-server', 'openid-configuration']
  const inner = '/oauth'
  return [
    ...new Set(
      kinds.flatMap(kind => [
        `/.well-known/${kind}`,
        `/.well-known/${kind}${inner}`,
        `/.well-known/${kind}${path}`,
        `${inner}/.well-known/${kind}`,
      ]),
    ),
  ]
}
