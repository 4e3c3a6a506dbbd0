import type { Method } from './method.ts'

/** A sign of life; 2026-07-28 has no such method (MCP 2025-06-18, basic/utilities/ping). */
export const ping: Method = {
  eras: ['handshake'],
  isCacheable: false,
  isAvailable: () => true,
  run: () => ({ kind: 'result', members: '' }),
}
