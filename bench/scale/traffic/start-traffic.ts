import type { Client, TrafficContext } from './client.ts'
import { confirm } from './confirm-client.ts'
import { mail } from './mail-client.ts'
import { readOverRest } from './read-client.ts'
import { callTools, writeOverRest } from './write-clients.ts'

export interface Traffic {
  /** Begins nothing new, and resolves when everything that was begun has been answered. */
  stop(): Promise<void>
}

/** Those who ask and are answered at once; mail is answered for before it is read. */
export const requestKinds: readonly Client[] = [readOverRest, writeOverRest, callTools, confirm]
const allKinds: readonly Client[] = [...requestKinds, mail]

/** Clients of every kind, so many of each at a time, until they are stopped. */
export function startTraffic(
  context: TrafficContext,
  { clients, kinds = allKinds }: { readonly clients: number; readonly kinds?: readonly Client[] },
): Traffic {
  let isOver = false
  const run = async (client: Client) => {
    for (let turn = 0; !isOver; turn++) await client(context, turn)
  }
  const running = kinds.flatMap(kind => Array.from({ length: clients }, () => run(kind)))
  // What breaks in a client ends the run; until then nobody may be waiting for it.
  const all = Promise.all(running)
  all.catch(() => {})
  return {
    async stop() {
      isOver = true
      await all
    },
  }
}
