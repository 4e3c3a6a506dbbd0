import { rpcCodes } from '../errors.ts'
import type { List } from '../lists.ts'
import { toError } from '../outcome.ts'
import type { Server } from '../server.ts'
import { toListPermissions } from './list-permissions.ts'
import type { Method } from './method.ts'

export interface ListMethodOptions {
  isAvailable(server: Server): boolean
  pick(server: Server): List
}

/**
 * A list method: what the caller can use, a page at a time (MCP 2026-07-28, server/utilities/pagination), filtered
 * by the token's scopes and the person's permissions.
 */
export function createListMethod({ isAvailable, pick }: ListMethodOptions): Method {
  return {
    eras: ['modern', 'handshake'],
    isCacheable: true,
    isAvailable,
    async run(context) {
      const { server, era, caller, params } = context
      const listed = await toListPermissions(context)
      if ('outcome' in listed) return listed.outcome
      const { permissions } = listed
      const bytes = pick(server).page({
        caller,
        permissions,
        cursor: params.cursor,
        old: era.version < '2025-06-18',
      })
      if (bytes === null)
        return toError(rpcCodes.invalidParams, 'Invalid params: cursor was not given out by this list')
      return { kind: 'page', bytes }
    },
  }
}
