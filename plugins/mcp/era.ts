import type { ClientInfo } from './declarations.ts'
import { rpcCodes } from './errors.ts'
import { isObject, type RpcError } from './message.ts'

/** The first revision without a handshake; every version named before it belongs to the 2025 era. */
const firstModernVersion = '2026-07-28'

const versionKey = 'io.modelcontextprotocol/protocolVersion'
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'
const clientInfoKey = 'io.modelcontextprotocol/clientInfo'

/** How a request is to be read and answered. */
export type Era =
  | {
      readonly name: 'modern'
      readonly version: string
      readonly client: ClientInfo | null
      readonly capabilities: Readonly<Record<string, unknown>>
    }
  | { readonly name: 'handshake'; readonly version: string; readonly client: ClientInfo | null }

export type EraDecision = { readonly era: Era } | { readonly refusal: RpcError }

export interface EraInput {
  readonly method: string
  readonly params: unknown
  /** The `MCP-Protocol-Version` header, if it was sent. */
  readonly versionHeader: string | undefined
  /** The versions spoken, newest first. */
  readonly supported: readonly string[]
}

/** True for revisions that carry their version in every request (`params._meta`). */
export function isModern(version: string): boolean {
  // Versions are ISO dates, which sort as text.
  return version >= firstModernVersion
}

/** The version an `initialize` answers with when the one asked for is not spoken; null when none of 2025 is. */
export function newestHandshakeVersion(supported: readonly string[]): string | null {
  return supported.find(version => !isModern(version)) ?? null
}

/**
 * The era is decided by the body and checked by the headers: an envelope in `params._meta` means 2026-07-28,
 * no envelope means 2025. Pure; the refusals are all HTTP 400.
 * MCP 2026-07-28, basic/versioning; for the 2025 revisions, basic/transports, Protocol Version Header.
 */
export function decideEra(input: EraInput): EraDecision {
  const meta = isObject(input.params) ? input.params._meta : undefined
  if (isObject(meta) && Object.hasOwn(meta, versionKey)) return decideModern(meta, input)
  return decideHandshake(input)
}

function decideModern(meta: Record<string, unknown>, { versionHeader, supported }: EraInput): EraDecision {
  const version = meta[versionKey]
  if (typeof version !== 'string') return refuse(`${versionKey} must be a string`)
  // A 2025 version has no envelope: a client that sends one expects semantics that this version does not have.
  if (!isModern(version) || !supported.includes(version)) return unsupported(version, supported)
  const header = versionHeader?.trim()
  if (header !== undefined && !supported.includes(header)) return unsupported(header, supported)
  const capabilities = meta[capabilitiesKey]
  if (!isObject(capabilities)) return refuse(`${capabilitiesKey} is required and must be an object`)
  return { era: { name: 'modern', version, client: toClientInfo(meta[clientInfoKey]), capabilities } }
}

function decideHandshake({ method, params, versionHeader, supported }: EraInput): EraDecision {
  const header = versionHeader?.trim()
  const client = toClientInfo(method === 'initialize' && isObject(params) ? params.clientInfo : undefined)
  const fallback = supported.includes('2025-06-18') ? '2025-06-18' : newestHandshakeVersion(supported)
  if (header !== undefined && isModern(header) && supported.includes(header))
    return refuse(`protocol version ${header} needs params._meta["${versionKey}"]`)
  // Nothing is settled before initialize, and a widely used client sends its own newest version there.
  const undecided = method === 'initialize' && header?.startsWith('2025-')
  if (header !== undefined && !supported.includes(header) && !undecided) return unsupported(header, supported)
  if (fallback === null) return refuse(`params._meta["${versionKey}"] is required`)
  const version = header !== undefined && supported.includes(header) ? header : fallback
  return { era: { name: 'handshake', version, client } }
}

function toClientInfo(value: unknown): ClientInfo | null {
  if (!isObject(value) || typeof value.name !== 'string') return null
  // Logged and audited, so bounded; the client may write anything here.
  const version = typeof value.version === 'string' ? value.version : ''
  return { name: value.name.slice(0, 100), version: version.slice(0, 50) }
}

function refuse(detail: string): EraDecision {
  return { refusal: { code: rpcCodes.invalidParams, message: `Invalid params: ${detail}` } }
}

function unsupported(requested: string, supported: readonly string[]): EraDecision {
  const data = { supported, requested: requested.slice(0, 100) }
  return { refusal: { code: rpcCodes.unsupportedVersion, message: 'Unsupported protocol version', data } }
}
