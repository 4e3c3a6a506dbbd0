import { problemTitles, rpcCodes } from '../errors.ts'
import type { Outcome } from '../outcome.ts'
import type { ToolCall } from './run-call.ts'

/** The plugin's own codes, and that of a call which is wrong in itself (-32602). */
type UnreachedCode = keyof typeof problemTitles | 'invalid_params'

/** Tells the embedding API of a call that is answered here, since its own hooks do not see what came of it. */
export function reportUnreached(call: ToolCall, code: UnreachedCode): void {
  report(call, { code, status: code === 'invalid_params' ? 400 : problemTitles[code].status })
}

/** The same of a call with such an outcome, a question to the person among them. */
export function reportOutcome(call: ToolCall, outcome: Outcome): void {
  const { code, status } = outcome.ended ?? {}
  if (code !== undefined && status !== undefined) report(call, { code, status })
  else if (outcome.kind === 'error' && outcome.error.code === rpcCodes.internalError) report(call, failed)
  else reportUnreached(call, toCode(outcome))
}

/** The same of a call that ends with what the embedding API throws, which it does once more. */
export async function reportThrown<T>(call: ToolCall, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
    const code = thrownCodes.get(status)
    if (code) reportUnreached(call, code)
    else report(call, failed)
    throw error
  }
}

const failed = { code: 'internal_error', status: 500 }

/** What keeps its meaning in HTTP when it is thrown. */
const thrownCodes: ReadonlyMap<number, UnreachedCode> = new Map([
  [401, 'unauthorized'],
  [429, 'rate_limited'],
  [503, 'unavailable'],
])

function toCode(outcome: Outcome): UnreachedCode {
  if (outcome.kind === 'refusal') return outcome.code
  if (outcome.kind === 'error') return 'invalid_params'
  const { code } = outcome.ended ?? {}
  return isOwn(code) ? code : 'confirmation_required'
}

function isOwn(code: string | undefined): code is keyof typeof problemTitles {
  return code !== undefined && Object.hasOwn(problemTitles, code)
}

/** Whatever the option does, the call is answered as it would have been. */
function report(call: ToolCall, end: End): void {
  const { request } = call.context
  const onError = (err: unknown) => request.log.error({ err, tool: call.tool.name }, 'unreached failed')
  try {
    // It is to return nothing, and may be asynchronous all the same.
    Promise.resolve(tell(call, end)).catch(onError)
  } catch (error) {
    onError(error)
  }
}

interface End {
  readonly code: string
  readonly status: number
}

function tell({ tool, args, context }: ToolCall, { code, status }: End): unknown {
  const { server, era, caller, request } = context
  return server.options.unreached?.(
    {
      tool: tool.name,
      code,
      status,
      params: Object.fromEntries(tool.pathNames.map(name => [name, args[name]])),
      caller,
      client: era.client,
      protocolVersion: era.version,
      requestId: String(request.id),
    },
    request,
  )
}
