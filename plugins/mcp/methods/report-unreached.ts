import { problemTitles, rpcCodes } from '../errors.ts'
import type { Outcome } from '../outcome.ts'
import type { ToolCall } from './run-call.ts'

/** What is no problem of the plugin's own: a call that is wrong in itself (-32602), and a refusal of the router's. */
const others = { invalid_params: 400, uri_too_long: 414 } as const

type UnreachedCode = keyof typeof problemTitles | keyof typeof others

/** Tells the embedding API of a call that is answered here, since its own hooks do not see what came of it. */
export function reportUnreached(call: ToolCall, code: UnreachedCode): void {
  report(call, { code, status: isOwn(code) ? problemTitles[code].status : others[code] })
}

/** The same of a call that came as far as the question to the person: it is asked, or something speaks against it. */
export function reportAsked(call: ToolCall, outcome: Outcome): void {
  const { code, status } = outcome.ended ?? {}
  if (code !== undefined && status !== undefined) report(call, { code, status })
  else if (outcome.kind === 'error' && outcome.error.code === rpcCodes.internalError)
    report(call, { code: 'internal_error', status: 500 })
  else reportUnreached(call, toCode(outcome))
}

function toCode(outcome: Outcome): UnreachedCode {
  if (outcome.kind === 'refusal') return outcome.code
  if (outcome.kind === 'error') return 'invalid_params'
  const { code } = outcome.ended ?? {}
  return isOwn(code) ? code : 'confirmation_required'
}

function isOwn(code: string | undefined): code is keyof typeof problemTitles {
  return code !== undefined && Object.hasOwn(problemTitles, code)
}

function report(
  { tool, args, context }: ToolCall,
  { code, status }: { readonly code: string; readonly status: number },
): void {
  const { server, era, caller, request } = context
  server.options.unreached?.(
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
