import { STATUS_CODES } from 'node:http'

/**
 * Every error of the plugin, in two maps: those that stop the boot, and those that a client sees.
 */

/** Boot errors: what is wrong with the options or with a route, said before the first request. */
export const bootErrors = {
  MCP_ERR_OPTION: 'An option of the plugin is missing or wrong.',
  MCP_ERR_DUPLICATE_PATH: 'The path of the endpoint is taken by another route or endpoint.',
  MCP_ERR_ROUTE_NAME: 'An exposed route has no usable tool name (operationId or config.mcp.name).',
  MCP_ERR_ROUTE_SUMMARY: 'An exposed route has no summary.',
  MCP_ERR_ROUTE_SCOPES: 'An exposed route has no scopes list; an explicit [] means any authenticated caller.',
  MCP_ERR_ROUTE_RESPONSE: 'An exposed route declares no successful response.',
  MCP_ERR_ROUTE_METHOD: 'An exposed route answers to several methods, or to one that no tool can have.',
  MCP_ERR_ROUTE_URL:
    'An exposed route has a wildcard in its URL, or a parameter that is optional, has a pattern, or is no whole segment.',
  MCP_ERR_ROUTE_CONSTRAINT: 'An exposed route has a constraint that no tool call can meet.',
  MCP_ERR_ROUTE_FILES: 'An exposed route takes or returns files or streams.',
  MCP_ERR_ROUTE_SCHEMA: 'A schema of an exposed route cannot be described as JSON Schema.',
  MCP_ERR_ROUTE_HEADER: 'An x-mcp-header annotation of an exposed route is not valid.',
  MCP_ERR_ROUTE_CONFIG: 'config.mcp of a route is wrong.',
  MCP_ERR_ROUTE_PREVIEW:
    'The preview of a destructive route is no GET tool, or lacks an argument or a member that is asked for.',
  MCP_ERR_ROUTE_ARGUMENT:
    'An argument name stands in two places of an exposed route (path, query, body, header).',
  MCP_ERR_ROUTE_RESOURCE: 'A route cannot be the resource that it says it is.',
  MCP_ERR_RESOURCE_TAKEN: 'Two routes answer for the same resource URI.',
  MCP_ERR_PROMPT: 'A prompt needs a tool that there is not, or its name stands twice.',
  MCP_ERR_COMPLETION: 'The completion of an argument names no list tool.',
  MCP_ERR_TOOL_NAME_TAKEN: 'Two exposed routes have the same tool name.',
} as const

export type BootErrorCode = keyof typeof bootErrors

/** Stops the boot. `code` is a key of {@link bootErrors}; the message names the option or the route. */
export class McpBootError extends Error {
  readonly code: BootErrorCode

  constructor(code: BootErrorCode, detail: string) {
    super(`${bootErrors[code]} ${detail}`)
    this.name = 'McpBootError'
    this.code = code
  }
}

/** Stops the boot on behalf of one route, naming it. */
export type Fail = (code: BootErrorCode, detail: string) => never

/** JSON-RPC error codes on the wire. -32020 and -32022: MCP 2026-07-28, basic, Error Codes. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Until 2025-11-25; 2026-07-28 uses -32602. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const

export type RpcCode = (typeof rpcCodes)[keyof typeof rpcCodes]

/** Problem documents (RFC 9457) that the plugin itself writes: as an HTTP answer, or as the text of a tool error. */
export const problemTitles = {
  unauthorized: { status: 401, title: 'Unauthorized' },
  origin_not_allowed: { status: 403, title: 'Origin not allowed' },
  insufficient_scope: { status: 403, title: 'Insufficient scope' },
  forbidden: { status: 403, title: 'Forbidden' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  confirmation_required: { status: 409, title: 'Confirmation required' },
  confirmation_declined: { status: 409, title: 'Confirmation declined' },
  precondition_failed: { status: 412, title: 'The record has changed' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  rate_limited: { status: 429, title: 'Too many requests' },
  unavailable: { status: 503, title: 'Service unavailable' },
  validation_failed: { status: 400, title: 'Validation failed' },
} as const

export type ProblemCode = keyof typeof problemTitles

export interface FieldError {
  readonly path: string
  readonly code: string
  readonly message: string
}

export interface ProblemDocument {
  readonly code: ProblemCode
  readonly detail: string
  readonly requestId: string
  readonly errors?: readonly FieldError[]
}

/** Prints a problem document; the members are those of RFC 9457 plus `code`, `request_id` and `errors`. */
export function toProblemJson({ code, detail, requestId, errors }: ProblemDocument): string {
  const { status, title } = problemTitles[code]
  return JSON.stringify({
    type: 'about:blank',
    title,
    status,
    detail,
    code,
    request_id: requestId,
    ...(errors && { errors }),
  })
}

/** A problem document for a refusal of which only the status is known: its code is that status in words, `not_found`. */
export function toStatusProblem(
  status: number,
  requestId: string,
): { readonly code: string; readonly json: string } {
  const title = STATUS_CODES[status] ?? 'Refused'
  const code = title.toLowerCase().replaceAll(/\W+/g, '_')
  const detail = `The tool was refused with status ${status} (${title}), and nothing more was said.`
  return {
    code,
    json: JSON.stringify({ type: 'about:blank', title, status, detail, code, request_id: requestId }),
  }
}
