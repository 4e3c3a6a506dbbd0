import { toCapabilities } from './capabilities.ts'
import type { Method } from './method.ts'

/** What a 2026-07-28 client asks instead of a handshake (MCP 2026-07-28, server/discover). */
export const serverDiscover: Method = {
  eras: ['modern'],
  isCacheable: true,
  isAvailable: () => true,
  run({ server }) {
    const members = [
      `"supportedVersions":${JSON.stringify(server.options.protocolVersions)}`,
      `"capabilities":${JSON.stringify(toCapabilities(server, 'modern'))}`,
    ]
    if (server.options.instructions !== undefined)
      members.push(`"instructions":${JSON.stringify(server.options.instructions)}`)
    return { kind: 'result', members: members.join(',') }
  },
}
