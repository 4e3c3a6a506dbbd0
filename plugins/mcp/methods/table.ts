import { initialize } from './initialize.ts'
import type { Method } from './method.ts'
import { ping } from './ping.ts'
import { serverDiscover } from './server-discover.ts'
import { toolsCall } from './tools-call.ts'
import { toolsList } from './tools-list.ts'

/** Every MCP method that is answered; each says in which eras it exists. */
export const methods: ReadonlyMap<string, Method> = new Map([
  ['server/discover', serverDiscover],
  ['initialize', initialize],
  ['ping', ping],
  ['tools/list', toolsList],
  ['tools/call', toolsCall],
])
