import { rpcCodes } from '../errors.ts'
import { toError } from '../outcome.ts'
import { isSearchTool } from '../search/search-tools.ts'
import { callSearchTool } from './call-search-tool.ts'
import { callTool } from './call-tool.ts'
import type { Method } from './method.ts'

/** Runs one tool (MCP 2026-07-28, server/tools, Calling Tools). */
export const toolsCall: Method = {
  eras: ['modern', 'handshake'],
  isCacheable: false,
  isAvailable: ({ registry }) => registry.tools.length > 0,
  run(context) {
    const { server, params } = context
    const { name } = params
    if (typeof name !== 'string')
      return toError(rpcCodes.invalidParams, 'Invalid params: name must be a string')
    const args = params.arguments === undefined ? {} : params.arguments
    const { search } = server
    if (search !== null && isSearchTool(name)) return callSearchTool({ name, args, index: search }, context)
    return callTool(name, args, context)
  },
}
