import { canAsk, parseAnswer, toInputRequired } from '../confirmation/answer.ts'
import type { Confirmed, StateBinding, StateKeeper } from '../confirmation/state.ts'
import { rpcCodes } from '../errors.ts'
import { type Outcome, toError } from '../outcome.ts'
import { toNames, toOwn } from '../tools/collect.ts'
import { toToolError } from '../tools/to-result.ts'
import { askApplication } from './ask-application.ts'
import type { MethodContext } from './method.ts'
import { reportOutcome, reportThrown, reportUnreached } from './report-unreached.ts'
import { readJson, runCall, type ToolCall } from './run-call.ts'

/**
 * Null where the person cannot be asked: by a 2025 client, by one that shows no forms, or without a key to sign
 * the question with.
 */
export function toStates({ server, era }: MethodContext): StateKeeper | null {
  return era.name === 'modern' && canAsk(era.capabilities) ? server.states : null
}

/**
 * A destructive call: the question first, and the call itself once the person's yes comes back with the state that
 * was given out for it. Nothing is remembered in between (MCP 2026-07-28, basic/patterns/mrtr).
 */
export async function confirmCall(call: ToolCall, states: StateKeeper): Promise<Outcome> {
  const { params, request } = call.context
  if (params.requestState === undefined) return ask(call, states)
  const bound = await reportThrown(call, toBinding(call))
  if ('outcome' in bound) return unreached(call, bound.outcome)
  const reading = states.read(params.requestState, bound.binding)
  if (reading.kind === 'refused')
    return unreached(call, refuse('requestState was not given out for this call'))
  switch (parseAnswer(params.inputResponses)) {
    case 'malformed':
      return unreached(call, refuse('inputResponses does not answer what was asked'))
    case 'declined':
      reportUnreached(call, 'confirmation_declined')
      return toToolError({ code: 'confirmation_declined', detail: declined, requestId: String(request.id) })
    case 'missing':
      return ask(call, states)
    case 'accepted':
      return reading.kind === 'expired' ? ask(call, states) : runConfirmed(call, reading.confirmed)
  }
}

function unreached(call: ToolCall, outcome: Outcome): Outcome {
  reportUnreached(call, 'invalid_params')
  return outcome
}

const declined = 'The person did not confirm. Nothing was done; do not ask again unless the person wants it.'

async function toBinding({
  tool,
  args,
  context: { caller, server, request },
}: ToolCall): Promise<{ readonly binding: StateBinding } | { readonly outcome: Outcome }> {
  const asked = await askApplication(() => server.options.confirmation?.context?.(caller, request) ?? '')
  if ('outcome' in asked) return asked
  const binding = { person: caller.id, client: caller.clientId, context: asked.value }
  return { binding: { ...binding, tool: tool.name, arguments: args } }
}

// Nobody is asked about what cannot happen: rights, arguments and the record's existence are checked first.
async function ask(call: ToolCall, states: StateKeeper): Promise<Outcome> {
  const checked = await runCall(call, { mode: 'check' })
  if (checked !== 'passed') return checked
  const outcome = await reportThrown(call, askAbout(call, states))
  reportOutcome(call, outcome)
  return outcome
}

async function askAbout(call: ToolCall, states: StateKeeper): Promise<Outcome> {
  const shown = await readPreview(call)
  if ('outcome' in shown) return shown.outcome
  if (isOutdated(call.args.if_match, shown.etag)) return refuseOutdated(call)
  const bound = await toBinding(call)
  if ('outcome' in bound) return bound.outcome
  const message = call.tool.question({ preview: shown.body, arguments: call.args })
  const state = states.sign(bound.binding, shown.etag)
  return { kind: 'input_required', members: toInputRequired(message, state) }
}

type Shown = { readonly body: unknown; readonly etag: string | null } | { readonly outcome: Outcome }

async function readPreview({ tool, args, context }: ToolCall): Promise<Shown> {
  const { preview } = tool
  const previewTool = preview && context.server.registry.findOperation(preview.tool)
  if (!previewTool) return { body: null, etag: null }
  const own = toNames(previewTool, preview).map(name => [name, args[toOwn(preview, name)]])
  const read = await readJson({ tool: previewTool, args: Object.fromEntries(own), context }, 'preview')
  if ('outcome' in read) return { outcome: withScopes(read.outcome, tool.scopes) }
  const { etag } = read.headers
  return { body: read.json, etag: typeof etag === 'string' ? etag : null }
}

// A token for the preview alone would only be refused for the tool next.
function withScopes(outcome: Outcome, scopes: readonly string[]): Outcome {
  return outcome.kind === 'refusal' && outcome.scopes
    ? { ...outcome, scopes: [...new Set([...scopes, ...outcome.scopes])].sort() }
    : outcome
}

// The question's id makes the call run once however often the yes is sent; its ETag, only on what was shown.
function runConfirmed(call: ToolCall, { id, etag }: Confirmed): Promise<Outcome> {
  const headers = { 'idempotency-key': id, ...(etag !== null && { 'if-match': etag }) }
  return runCall(call, { mode: 'run', headers }).then(outcome =>
    outcome === 'passed'
      ? refuse('the tool did not run')
      : { ...outcome, ended: { ...outcome.ended, isConfirmed: true } },
  )
}

// The caller's own if_match gives way to the ETag that was shown, so it is held against that one here.
function isOutdated(ifMatch: unknown, etag: string | null): boolean {
  if (typeof ifMatch !== 'string' || etag === null) return false
  const tags = ifMatch.split(',').map(tag => tag.trim())
  return !tags.includes('*') && !tags.includes(etag)
}

function refuseOutdated({ context }: ToolCall): Outcome {
  const detail = 'The record is not at the version that if_match names. Read it again, then decide.'
  return toToolError({ code: 'precondition_failed', detail, requestId: String(context.request.id) })
}

function refuse(detail: string): Outcome {
  return toError(rpcCodes.invalidParams, `Invalid params: ${detail}`)
}
