import type { UnreachedCode } from '../declarations.ts'
import type { ToolCall } from './run-call.ts'

/** Tells the embedding API of a call that is answered here, since its own hooks never see it. */
export function reportUnreached({ tool, context }: ToolCall, code: UnreachedCode): void {
  const { server, era, caller, request } = context
  server.options.unreached?.(
    {
      tool: tool.name,
      code,
      caller,
      client: era.client,
      protocolVersion: era.version,
      requestId: String(request.id),
    },
    request,
  )
}
