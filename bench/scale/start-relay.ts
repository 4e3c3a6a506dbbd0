import { connect, createServer, type Socket } from 'node:net'
import { listenLocally } from './listen-locally.ts'

/**
 * What a relay does with its connections. `cut`: those that are open break, and new ones are refused as soon as they are
 * made. `silent`: everything is accepted, nothing is passed on and nothing comes back, as when a machine has failed.
 */
export type RelayState = 'open' | 'cut' | 'silent'

/** A TCP server that stands in for another one, which is never touched, and can be taken away. */
export interface Relay {
  readonly port: number
  set(state: RelayState): void
  close(): Promise<void>
}

export async function startRelay(target: { readonly host: string; readonly port: number }): Promise<Relay> {
  const pairs = new Set<readonly [Socket, Socket | null]>()
  let state: RelayState = 'open'

  const server = createServer(socket => {
    socket.on('error', () => {})
    if (state === 'cut') return socket.resetAndDestroy()
    // What came while nobody answered has lost its way: it is not passed on later.
    const behind = state === 'silent' ? null : connect(target)
    const pair = [socket, behind] as const
    pairs.add(pair)
    socket.once('close', () => {
      pairs.delete(pair)
      behind?.destroy()
    })
    if (!behind) return socket.resume()
    behind.on('error', () => socket.destroy())
    behind.once('close', () => socket.destroy())
    socket.pipe(behind).pipe(socket)
  })

  const drop = () => {
    for (const [socket, behind] of pairs) {
      socket.resetAndDestroy()
      behind?.destroy()
    }
    pairs.clear()
  }
  const silence = () => {
    for (const [socket, behind] of pairs) {
      socket.unpipe()
      behind?.unpipe()
      socket.resume()
      behind?.resume()
    }
  }

  return {
    port: await listenLocally(server),
    set(next) {
      state = next
      if (next === 'silent') silence()
      else drop()
    },
    async close() {
      const closed = new Promise(resolve => server.close(resolve))
      drop()
      await closed
    },
  }
}
