import { rpcCodes } from '../errors.ts'
import { toError } from '../outcome.ts'
import { toListPermissions } from './list-permissions.ts'
import type { Method } from './method.ts'

/** The tools that the caller can run, a page at a time (MCP 2026-07-28, server/tools, Listing Tools). */
export const toolsList: Method = {
  eras: ['modern', 'handshake'],
  isCacheable: true,
  isAvailable: ({ registry }) => registry.tools.length > 0,
  async run(context) {
    const { server, era, caller, params } = context
    const listed = await toListPermissions(context)
    if ('outcome' in listed) return listed.outcome
    const members = server.lists.page({
      caller,
      permissions: listed.permissions,
      cursor: params.cursor,
      old: era.version < '2025-06-18',
    })
    if (members === null)
      return toError(rpcCodes.invalidParams, 'Invalid params: cursor was not given out by this list')
    return { kind: 'result', members }
  },
}
