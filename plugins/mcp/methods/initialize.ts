import { isModern, newestHandshakeVersion } from '../era.ts'
import { rpcCodes } from '../errors.ts'
import { isObject } from '../message.ts'
import { toError } from '../outcome.ts'
import { toCapabilities } from './capabilities.ts'
import type { Method } from './method.ts'

/**
 * The 2025 handshake. Nothing is remembered: it only tells the client the version and what there is. A version that
 * is not spoken is answered with the newest 2025 one, and the client decides (MCP 2025-06-18, basic/lifecycle).
 */
export const initialize: Method = {
  eras: ['handshake'],
  isCacheable: false,
  isAvailable: () => true,
  run({ server, params, reply }) {
    const { protocolVersion, capabilities } = params
    if (typeof protocolVersion !== 'string')
      return toError(rpcCodes.invalidParams, 'Invalid params: protocolVersion must be a string')
    if (capabilities !== undefined && !isObject(capabilities))
      return toError(rpcCodes.invalidParams, 'Invalid params: capabilities must be an object')
    const { protocolVersions, serverInfo, instructions } = server.options
    const isSpoken = protocolVersions.includes(protocolVersion) && !isModern(protocolVersion)
    const version = isSpoken ? protocolVersion : newestHandshakeVersion(protocolVersions)
    const { title: _title, ...untitled } = serverInfo
    reply.header('mcp-protocol-version', version)
    const result = {
      protocolVersion: version,
      capabilities: toCapabilities(server, 'handshake'),
      // `title` came with 2025-06-18.
      serverInfo: version !== null && version < '2025-06-18' ? untitled : serverInfo,
      ...(instructions !== undefined && { instructions }),
    }
    return { kind: 'result', members: JSON.stringify(result).slice(1, -1) }
  },
}
