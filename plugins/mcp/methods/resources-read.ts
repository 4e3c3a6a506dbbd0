import { rpcCodes } from '../errors.ts'
import { coversScopes } from '../lists.ts'
import { type Outcome, toError } from '../outcome.ts'
import { toScopeRefusal } from '../tools/to-result.ts'
import type { Method, MethodContext } from './method.ts'
import { readCall } from './run-call.ts'

/**
 * Reads one document by its URI, through the route that owns it (MCP 2026-07-28, server/resources). What is not
 * there and what the caller may not see is answered alike.
 */
export const resourcesRead: Method = {
  eras: ['modern', 'handshake'],
  isCacheable: true,
  isAvailable: ({ resources }) => resources.fixed.length + resources.templates.length > 0,
  async run(context) {
    const { uri } = context.params
    if (typeof uri !== 'string')
      return toError(rpcCodes.invalidParams, 'Invalid params: uri must be a string')
    const read = await readResource(uri, context)
    return 'outcome' in read
      ? read.outcome
      : { kind: 'result', members: `"contents":[${JSON.stringify(read.contents)}]` }
  },
}

export interface ResourceContents {
  readonly uri: string
  readonly mimeType: string
  readonly text: string
}

/** The document behind a URI as the caller may see it, or the outcome that says why not. */
export async function readResource(
  uri: string,
  context: MethodContext,
): Promise<{ readonly contents: ResourceContents } | { readonly outcome: Outcome }> {
  const found = context.server.resources.find(uri)
  if (found === null) return { outcome: toNotFound(uri, context) }
  const { resource, values } = found
  if (!coversScopes(context.caller, resource)) return { outcome: toScopeRefusal(resource.operation) }
  const read = await readCall({ tool: resource.operation, args: values, context }, 'resource')
  if ('response' in read) return { contents: { uri, mimeType: resource.mimeType, text: read.response.body } }
  // A tool error is for a model that can correct its call; here there is a URI that leads nowhere, or a caller who
  // must say more, such as which workspace.
  if (read.outcome.kind !== 'text') return { outcome: read.outcome }
  const isHidden = read.status === null || [403, 404, 410].includes(read.status)
  return { outcome: isHidden ? toNotFound(uri, context) : toRefusal(read.outcome.text) }
}

function toRefusal(problem: string): Outcome {
  return toError(rpcCodes.invalidParams, 'Invalid params: the resource cannot be read', { problem })
}

// -32002 was the code until 2025-11-25; 2026-07-28 forbids it (basic, Error Codes).
function toNotFound(uri: string, { era }: MethodContext): Outcome {
  const code = era.name === 'modern' ? rpcCodes.invalidParams : rpcCodes.resourceNotFound
  return toError(code, 'Resource not found', { uri: uri.slice(0, 1_000) })
}
