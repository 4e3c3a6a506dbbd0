import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { DispatchMode, DispatchPurpose } from '../declarations.ts'
import { type DispatchOutcome, dispatchTool } from '../dispatch/dispatch.ts'
import type { ToolResponse } from '../dispatch/sender.ts'
import type { FieldError } from '../errors.ts'
import type { Outcome } from '../outcome.ts'
import { findBodyProblem } from '../tools/body-problem.ts'
import type { Tool } from '../tools/describe.ts'
import { type ToolRequest, toBareRequest, toRequest } from '../tools/to-request.ts'
import { type ResultOptions, toBroken, toResult, toToolError } from '../tools/to-result.ts'
import type { MethodContext } from './method.ts'
import { reportOutcome, reportUnreached } from './report-unreached.ts'

/** One tool with its arguments, called by whom the context says. */
export interface ToolCall {
  readonly tool: Tool
  readonly args: Readonly<Record<string, unknown>>
  readonly context: MethodContext
}

export interface RunOptions {
  readonly mode: DispatchMode
  /** Sent over whatever the arguments say. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Runs a call through its route: the outcome, or `passed` where a check found nothing against running it. */
export async function runCall(call: ToolCall, { mode, headers }: RunOptions): Promise<Outcome | 'passed'> {
  const toolRequest = toRequest(call.tool, call.args)
  if ('refusal' in toolRequest) return await refuseArguments(call, 'call', toolRequest.refusal)
  const supplied = mode === 'check' ? toStandIns(call.tool) : undefined
  const sent = withHeaders(toolRequest.request, { supplied, headers })
  const answer = await dispatch(sent, { call, mode, purpose: 'call' })
  if (answer.kind === 'passed') return 'passed'
  if (answer.kind === 'strayed') reportUnreached(call, 'not_found')
  const outcome = conclude(answer, call)
  // By the router, or by a hook before the plugin's: the hooks of the route never see it.
  if (answer.kind === 'answered' && !answer.isReached) reportOutcome(call, outcome)
  return outcome
}

/** What the route answered with success, or the outcome that ends the call, with the status it comes from. */
export async function readCall(
  call: ToolCall,
  purpose: Exclude<DispatchPurpose, 'call'>,
): Promise<
  { readonly response: ToolResponse } | { readonly outcome: Outcome; readonly status: number | null }
> {
  const toolRequest = toRequest(call.tool, call.args)
  if ('refusal' in toolRequest)
    return { outcome: await refuseArguments(call, purpose, toolRequest.refusal), status: null }
  const answer = await dispatch(toolRequest.request, { call, mode: 'run', purpose })
  if (answer.kind === 'answered' && isReadable(answer.response)) return { response: answer.response }
  const status = answer.kind === 'answered' ? answer.response.status : null
  return { outcome: conclude(answer, call), status }
}

/** The same of a route that answers with JSON. */
export async function readJson(
  call: ToolCall,
  purpose: Exclude<DispatchPurpose, 'call'>,
): Promise<
  | { readonly json: unknown; readonly headers: ToolResponse['headers'] }
  | { readonly outcome: Outcome; readonly status: number | null }
> {
  const read = await readCall(call, purpose)
  if ('outcome' in read) return read
  const { status, headers, body } = read.response
  try {
    return { json: JSON.parse(body), headers }
  } catch {
    return { outcome: tellFlaw(toBroken(status, toResultOptions(call)), call), status }
  }
}

function isReadable(response: ToolResponse): boolean {
  return response.status >= 200 && response.status < 300 && findBodyProblem(response) === null
}

function conclude(answer: DispatchOutcome, call: ToolCall): Outcome {
  return tellFlaw(toResult(answer, toResultOptions(call)), call)
}

/** What is wrong with the route is for its operator to read, and not for the client. */
function tellFlaw(outcome: Outcome, { tool, context }: ToolCall): Outcome {
  const { status, flaw } = outcome.ended ?? {}
  if (flaw === undefined) return outcome
  const { name, method, url } = tool
  context.request.log[flaw.level]({ tool: name, route: `${method} ${url}`, status }, flaw.reason)
  return outcome
}

// The caller's rights come before the arguments, so the route is asked for them first.
async function refuseArguments(
  call: ToolCall,
  purpose: DispatchPurpose,
  refusal: FieldError,
): Promise<Outcome> {
  const admitted = await dispatch(toBareRequest(call.tool), { call, mode: 'admit', purpose })
  const { requestId } = toResultOptions(call)
  if (admitted.kind !== 'passed') return conclude(admitted, call)
  const detail = `${refusal.message}.`
  return toToolError({ code: 'validation_failed', detail, requestId, errors: [refusal] })
}

interface Dispatching {
  readonly call: ToolCall
  readonly mode: DispatchMode
  readonly purpose: DispatchPurpose
}

function dispatch(
  toolRequest: ToolRequest,
  { call: { tool, context }, mode, purpose }: Dispatching,
): Promise<DispatchOutcome> {
  const { server, era, caller, request, reply } = context
  return dispatchTool({
    fastify: server.fastify,
    tool,
    call: Object.freeze({
      caller,
      client: era.client,
      protocolVersion: era.version,
      tool: tool.name,
      requestId: String(request.id),
      purpose,
      mode,
    }),
    toolRequest: withForwarded(toolRequest, tool, context),
    address: toAddress(request),
    isEncrypted: request.protocol.toLowerCase() === 'https',
    mode,
    deadline: tool.deadline ?? server.options.deadline,
    // In 2025 a disconnect is no cancellation; in 2026-07-28 it is (streamable-http, Cancellation).
    client: era.name === 'modern' ? reply.raw : null,
  })
}

/**
 * A connection that was reset before anybody asked has no address any more, whatever the types say. Then it is the
 * unspecified one: `inject` would take none for 127.0.0.1, which an API may trust.
 */
function toAddress(request: FastifyRequest): string {
  const address: string | undefined = request.ip
  return address ?? '0.0.0.0'
}

function toResultOptions({ tool, context }: ToolCall): ResultOptions {
  return { tool, requestId: String(context.request.id), structured: context.era.version >= '2025-06-18' }
}

function withHeaders(
  toolRequest: ToolRequest,
  {
    supplied,
    headers,
  }: { readonly supplied: RunOptions['headers']; readonly headers: RunOptions['headers'] },
): ToolRequest {
  if (!supplied && !headers) return toolRequest
  return { ...toolRequest, headers: { ...supplied, ...toolRequest.headers, ...headers } }
}

// What the route requires and only the confirmed call will carry must not fail its check: any key, any version.
function toStandIns({ supplied }: Tool): RunOptions['headers'] {
  if (supplied.length === 0) return undefined
  return Object.fromEntries(supplied.map(name => [name, name === 'if-match' ? '*' : randomUUID()]))
}

function withForwarded(
  toolRequest: ToolRequest,
  { constraintHeaders }: Tool,
  { server, request, trace }: MethodContext,
): ToolRequest {
  // Empty where the client has none: inject would otherwise write its own name into the API's records.
  // The host is that of the outer request, which knows whom to trust with another name than the header's.
  const forwarded: Record<string, string> = { host: request.host, 'user-agent': '' }
  for (const name of server.options.forwardHeaders) {
    const value = request.headers[name]
    if (typeof value === 'string') forwarded[name] = value
  }
  const { url, headers, payload } = toolRequest
  // Last, whatever is forwarded: without them another route would be found.
  return { url, headers: Object.assign(forwarded, trace, headers, constraintHeaders), payload }
}
