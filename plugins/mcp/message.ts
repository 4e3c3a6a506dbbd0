import { isUtf8 } from 'node:buffer'
import { type RpcCode, rpcCodes } from './errors.ts'

/** A JSON-RPC id: a string or a safe integer. `null` and fractions are refused (MCP, basic, Requests). */
export type RequestId = string | number

/** What one POST carries. `params` is whatever was sent; each method checks its own. */
export type Message =
  | { readonly kind: 'request'; readonly id: RequestId; readonly method: string; readonly params: unknown }
  | { readonly kind: 'notification'; readonly method: string }
  | { readonly kind: 'response' }
  /** `id`: undefined where none could be read. */
  | { readonly kind: 'invalid'; readonly error: RpcError; readonly id: RequestId | undefined }

/** Reads the bytes of a POST as one JSON-RPC 2.0 message. Never throws. */
export function parseMessage(body: Buffer): Message {
  let value: unknown
  try {
    // What is no UTF-8 is no JSON (RFC 8259, 8.1); decoding would replace it silently.
    if (!isUtf8(body)) throw new Error('not UTF-8')
    value = JSON.parse(body.toString())
  } catch {
    const error = { code: rpcCodes.parseError, message: 'Parse error: the body is not JSON' }
    return { kind: 'invalid', error, id: undefined }
  }
  if (Array.isArray(value)) return invalid('Batches are not supported: send one message per POST')
  if (!isObject(value)) return invalid('A message is a JSON object')
  return classify(value)
}

/** `{"jsonrpc":"2.0","id":…,"result":{…}}` around members that are JSON already, with further ones after them. */
export function toResultMessage(id: RequestId, members: string, more: string): string {
  return `${toResultStart(id)}${members}${members !== '' && more !== '' ? ',' : ''}${more}${messageEnd}`
}

/** What closes a result and its message. */
export const messageEnd = '}}'

/** The same up to members that are bytes already and end with `messageEnd`: they are sent as they are, after this. */
export function toMessageStart(id: RequestId, more: string): string {
  return `${toResultStart(id)}${more}${more === '' ? '' : ','}`
}

/** `{"jsonrpc":"2.0","id":…,"result":{` */
export function toResultStart(id: RequestId): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{`
}

export interface RpcError {
  readonly code: RpcCode
  readonly message: string
  readonly data?: Readonly<Record<string, unknown>>
}

/** `{"jsonrpc":"2.0","id":…,"error":…}`; without an id when none could be read. */
export function toErrorMessage(id: RequestId | undefined, { code, message, data }: RpcError): string {
  const error = { code, message, ...(data && { data }) }
  return JSON.stringify(id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id, error })
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function classify(value: Record<string, unknown>): Message {
  const hasId = Object.hasOwn(value, 'id')
  const id = isRequestId(value.id) ? value.id : undefined
  if (value.jsonrpc !== '2.0') return invalid('jsonrpc must be "2.0"', id)
  if (!Object.hasOwn(value, 'method')) return classifyResponse(value, id)
  if (typeof value.method !== 'string') return invalid('method must be a string', id)
  if (hasId && id === undefined) return invalid('id must be a string or an integer')
  if (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error'))
    return invalid('A message is either a request or a response', id)
  if (Object.hasOwn(value, 'params') && (typeof value.params !== 'object' || value.params === null))
    return invalid('params must be an object', id)
  if (id === undefined) return { kind: 'notification', method: value.method }
  return { kind: 'request', id, method: value.method, params: value.params }
}

function classifyResponse(value: Record<string, unknown>, id: RequestId | undefined): Message {
  const hasResult = Object.hasOwn(value, 'result')
  const hasError = Object.hasOwn(value, 'error')
  if (!hasResult && !hasError) return invalid('method is missing', id)
  // Only an error may lack an id: the other side could not read the one it was sent.
  const answersSomething = id !== undefined || (hasError && (value.id === null || value.id === undefined))
  if (hasResult === hasError || !answersSomething)
    return invalid('A response has an id and a result or an error', id)
  return { kind: 'response' }
}

function invalid(detail: string, id?: RequestId): Message {
  const error = { code: rpcCodes.invalidRequest, message: `Invalid request: ${detail}` }
  return { kind: 'invalid', error, id }
}

// An integer past 2^53 cannot be echoed as it was sent, and its answer would find nobody waiting.
function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value)
}
