import type { Answered, DispatchOutcome } from '../dispatch/dispatch.ts'
import type { ToolResponse } from '../dispatch/sender.ts'
import {
  type ProblemCode,
  type ProblemDocument,
  rpcCodes,
  toProblemJson,
  toStatusProblem,
} from '../errors.ts'
import { isObject } from '../message.ts'
import { type Ended, type Flaw, type Outcome, toError } from '../outcome.ts'
import { findBodyProblem, isJson } from './body-problem.ts'
import type { Tool } from './describe.ts'

/** Seconds that `Retry-After` names when the route named none. */
const retryAfterDefault = '5'

export interface ResultOptions {
  readonly tool: Tool
  /** The POST /mcp request, for an operator to find it in the log. */
  readonly requestId: string
  /** 2025-03-26 knows no `structuredContent`. */
  readonly structured: boolean
}

/**
 * Turns what the route answered into the outcome of the tool call. Pure. What the caller can act on is a result,
 * with `isError` for a refusal; what it cannot act on is a JSON-RPC error that tells nothing but the request id.
 * MCP 2026-07-28, server/tools, Error Handling.
 */
export function toResult(outcome: DispatchOutcome, options: ResultOptions): Outcome {
  switch (outcome.kind) {
    case 'answered':
      return fromResponse(outcome, options)
    // A check alone passes, and who asked for one looks for that before there is a result.
    case 'passed':
    case 'strayed':
      return toToolError({
        code: 'not_found',
        detail: 'Nothing was found for these arguments.',
        requestId: options.requestId,
      })
    case 'trailers':
      return fail('trailers', { status: outcome.status }, options)
    case 'late':
      return { ...fromDeadline(outcome.mayStillChange, options), ended: { isLate: true } }
    case 'disconnected':
      return { kind: 'gone' }
  }
}

/** A result that this endpoint itself makes, of one JSON object. */
export function toTextResult(json: string, { isStructured }: { readonly isStructured: boolean }): Outcome {
  return toText(json, { isStructured })
}

/** A problem document as the text of a tool error. */
export function toToolError(problem: ProblemDocument): Outcome {
  return { ...toText(toProblemJson(problem), { isError: true }), ended: { code: problem.code } }
}

function fromResponse(answer: Answered, options: ResultOptions): Outcome {
  const { status } = answer.response
  return status >= 200 && status < 300 ? fromSuccess(answer, options) : fromRefusal(answer.response, options)
}

function fromSuccess({ response, isPrinted }: Answered, options: ResultOptions): Outcome {
  const { status, body } = response
  const problem = findBodyProblem(response)
  if (problem !== null) return fail('a body that is no text', { status, header: problem }, options)
  const { tool, structured } = options
  const text = { kind: 'text', text: body, isStructured: false, isError: false, ended: { status } } as const
  if (!structured || !tool.hasOutputSchema) return text
  switch (toStructure(response, isPrinted)) {
    case 'object':
      // The body goes in as it is. No other text may: it could close the member and write the rest of the message.
      return { ...text, isStructured: true }
    case 'broken':
      return toBroken(status, options)
    case 'other': {
      const flaw: Flaw = { level: 'warn', reason: withoutStructure }
      return { ...text, ended: { status, flaw } }
    }
  }
}

const withoutStructure =
  'the tool has an output schema, and the route answered without a JSON object: clients refuse the result'

// What the route's serializer printed is JSON; everything else, whoever wrote it, is read before it is believed.
function toStructure(response: ToolResponse, isPrinted: boolean): 'object' | 'other' | 'broken' {
  const { body } = response
  if (body === '' || !isJson(response)) return 'other'
  if (isPrinted && body.startsWith('{')) return 'object'
  try {
    return isObject(JSON.parse(body)) ? 'object' : 'other'
  } catch {
    return 'broken'
  }
}

/** The route answered with what is not the JSON that it is said to be. */
export function toBroken(status: number, options: ResultOptions): Outcome {
  return fail('a body that is not the JSON it is said to be', { status }, options)
}

interface Failure {
  readonly status: number
  /** The header that tells, for the log. */
  readonly header?: string
}

/** The route ran, and what it answered is nothing that a result could hold. */
function fail(what: string, { status, header }: Failure, { requestId }: ResultOptions): Outcome {
  const message = `Internal error: the route answered with ${what}, which no tool result can carry. (request ${requestId})`
  const reason = `the route answered with ${what}${header === undefined ? '' : ` (${header})`}`
  const ended: Ended = { status, flaw: { level: 'error', reason } }
  return { ...toError(rpcCodes.internalError, message, { requestId }), ended }
}

function fromRefusal(response: ToolResponse, options: ResultOptions): Outcome {
  const { status, body } = response
  const isForModel = status >= 400 && status < 500
  const problem = isForModel ? findBodyProblem(response) : null
  const refusal = toRefusal(response, options)
  if (refusal.kind !== 'text' || (body !== '' && problem === null))
    return { ...refusal, ended: toEnded(response) }
  const { code, json } = toStatusProblem(status, options.requestId)
  const flaw: Flaw | undefined =
    problem === null ? undefined : { level: 'warn', reason: `refused with ${problem}` }
  return { ...toText(json, { isError: true }), ended: { status, code, ...(flaw && { flaw }) } }
}

/** A quote inside of a text is escaped in JSON, so that no text can pass for the member. */
function toEnded({ status, body }: ToolResponse): Ended {
  if (status < 400 || status >= 500) return { status }
  return { status, code: /"code":"([a-zA-Z0-9_.-]{1,60})"/.exec(body)?.[1] ?? 'unknown' }
}

function toRefusal({ status, headers, body }: ToolResponse, options: ResultOptions): Outcome {
  const challenge = String(headers['www-authenticate'] ?? '')
  if (status === 401)
    return { kind: 'refusal', code: 'unauthorized', detail: 'The access token is not valid any more.' }
  if (status === 403 && challenge.includes('insufficient_scope')) return toScopeRefusal(options.tool)
  if (status === 429) return toRetry('rate_limited', 'Too many requests.', headers)
  if (status === 503) return toRetry('unavailable', 'The service is not available right now.', headers)
  if (status >= 400 && status < 500) return toText(body, { isError: true })
  return toError(rpcCodes.internalError, `Internal error (request ${options.requestId})`, {
    requestId: options.requestId,
  })
}

/** HTTP 403 with the challenge by which a client can step up (MCP 2026-07-28, basic/authorization). */
export function toScopeRefusal(tool: Pick<Tool, 'name' | 'scopes'>): Outcome {
  const detail = `The access token does not cover ${tool.name}, which needs: ${tool.scopes.join(' ')}.`
  return { kind: 'refusal', code: 'insufficient_scope', detail, scopes: tool.scopes }
}

function toText(
  text: string,
  { isStructured = false, isError = false }: { readonly isStructured?: boolean; readonly isError?: boolean },
): Outcome {
  return { kind: 'text', text, isStructured, isError }
}

function toRetry(code: ProblemCode, detail: string, headers: ToolResponse['headers']): Outcome {
  return {
    kind: 'refusal',
    code,
    detail,
    headers: { 'retry-after': String(headers['retry-after'] ?? retryAfterDefault) },
  }
}

function fromDeadline(mayStillChange: boolean, { tool, requestId }: ResultOptions): Outcome {
  if (!mayStillChange)
    return toRetry('unavailable', 'The tool took too long and changed nothing; it can be called again.', {})
  const howToFindOut = tool.places.has('idempotency_key')
    ? 'repeat the call with the same idempotency_key, or look at the record or the operation it started'
    : 'look at the record or the operation it started'
  const message = `The outcome is unknown: the tool took too long and may still finish. To find out, ${howToFindOut}. (request ${requestId})`
  return toError(rpcCodes.internalError, message, { requestId })
}
