import type { UnreachedCode } from '../declarations.ts'
import type { ToolCall } from './run-call.ts'

/** Tells the embedding API of a call that is answered here, since its own hooks never see it. */
export function reportUnreached({ tool, args, context }: ToolCall, code: UnreachedCode): void {
  const { server, era, caller, request } = context
  server.options.unreached?.(
    {
      tool: tool.name,
      code,
      params: Object.fromEntries(tool.pathNames.map(name => [name, args[name]])),
      caller,
      client: era.client,
      protocolVersion: era.version,
      requestId: String(request.id),
    },
    request,
  )
}
