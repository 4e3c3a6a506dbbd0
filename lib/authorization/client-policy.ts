import { type AllClientMetadata, errors } from 'oidc-provider'
import { isNativeRedirect, toRedirectFault } from './redirect-uri.ts'

/** What a client can do here; whatever else it asks for is left out, as RFC 7591 section 3.2.1 allows. */
export const grantTypes = ['authorization_code', 'refresh_token'] as const

/** How a client that is no public one proves itself at the token endpoint. */
export const clientAuthMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const

type Metadata = { -readonly [Name in keyof AllClientMetadata]: AllClientMetadata[Name] }

/**
 * Turns what a stranger sent as a client's metadata, whether registered or in a document of its own, into what is
 * accepted of it, in place. Throws `invalid_client_metadata` or `invalid_redirect_uri`.
 */
export function applyClientPolicy(metadata: Metadata): void {
  for (const [name, value] of Object.entries(metadata)) {
    // Null is how some clients say nothing.
    if (!kept.has(name) || value === null) Reflect.deleteProperty(metadata, name)
  }
  checkTexts(metadata)
  const uris = checkRedirectUris(metadata.redirect_uris)
  // A client asks for scopes when it sends its person here; a list that it chose when it knew less would keep it from
  // asking for more after a 403.
  metadata.application_type = uris.some(isNativeRedirect) ? 'native' : 'web'
  // A metadata document is public: without a word on it, its client has no secret to prove itself with.
  if (metadata.client_id?.startsWith('https://')) metadata.token_endpoint_auth_method = 'none'
  metadata.grant_types = keepKnown('grant_types', metadata.grant_types, grantTypes)
  metadata.response_types = ['code']
  metadata.response_modes = ['query']
}

/** The rest is either decided here or of no use here, and some of it would have this server fetch URLs. */
const kept = new Set([
  'application_type',
  'client_id',
  'client_id_issued_at',
  'client_name',
  'client_secret',
  'client_secret_expires_at',
  'client_uri',
  'grant_types',
  'id_token_signed_response_alg',
  'logo_uri',
  'policy_uri',
  'redirect_uris',
  'require_auth_time',
  'response_types',
  'software_id',
  'subject_type',
  'token_endpoint_auth_method',
  'tos_uri',
])

const lists = new Set(['grant_types', 'redirect_uris', 'response_types'])
const maximumUris = 20

function checkTexts(metadata: Metadata): void {
  const { client_name: name } = metadata
  if (name !== undefined && !(typeof name === 'string' && name.length <= 200 && isPlain(name))) {
    throw new errors.InvalidClientMetadata('client_name must be a line of at most 200 characters')
  }
  if (name !== undefined && !isLegible(name)) {
    throw new errors.InvalidClientMetadata('client_name must be a name that can be read')
  }
  for (const [member, value] of Object.entries(metadata)) {
    if (typeof value === 'object' && !lists.has(member))
      throw new errors.InvalidClientMetadata(`${member} must be one value`)
    if (typeof value !== 'string') continue
    if (value.length > 2_000)
      throw new errors.InvalidClientMetadata(`${member} must have at most 2000 characters`)
    if (!isPlain(value)) throw new errors.InvalidClientMetadata(`${member} must have no control characters`)
  }
}

/** No control characters, and none that turn the direction of what a person reads beside it. */
function isPlain(text: string): boolean {
  return !/[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u.test(text)
}

/**
 * Something of it shows, and nothing of it covers the lines around, as a pile of combining marks does. The page on which a
 * person decides has little else to tell clients by.
 */
function isLegible(text: string): boolean {
  const shown = text.replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Z}\p{M}\u2800]/gu, '')
  return shown !== '' && !/\p{M}{5}/u.test(text)
}

function checkRedirectUris(uris: unknown): readonly string[] {
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > maximumUris) {
    throw new errors.InvalidClientMetadata(`redirect_uris must be a list of 1 to ${maximumUris} URIs`)
  }
  for (const uri of uris) {
    const fault = toRedirectFault(uri)
    if (fault !== null) throw new errors.InvalidClientMetadata(`redirect_uris ${fault}`)
  }
  return uris
}

/** Clients list everything that they could do with some server or other. */
function keepKnown(name: string, given: unknown, known: readonly string[]): string[] {
  if (given === undefined) return ['authorization_code']
  if (!Array.isArray(given)) throw new errors.InvalidClientMetadata(`${name} must be a list`)
  const both = known.filter(value => given.includes(value))
  return both.includes('authorization_code') ? both : ['authorization_code', ...both]
}
