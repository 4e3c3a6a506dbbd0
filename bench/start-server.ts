import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Way } from './bench-app.ts'

export interface Usage {
  readonly cpuMicroseconds: number
  /** Bytes. */
  readonly rss: number
  readonly heapUsed: number
}

/** A server under test, in a process of its own: what one way does to the runtime is not measured with another. */
export interface BenchServer {
  readonly name: string
  readonly way: Way
  readonly tools: number
  readonly url: string
  readonly token: string
  readonly bootMilliseconds: number
  usage(): Promise<Usage>
  /** After garbage was collected. It has V8 forget code that rests on objects which are gone: not between measurements. */
  memory(): Promise<Usage>
  /** After minor collections, which leave what is in the old generation or held from there. */
  kept(): Promise<Usage>
  stop(): void
}

export async function startServer(way: Way, tools = 1): Promise<BenchServer> {
  const child = fork(new URL('./server.js', import.meta.url), [way, String(tools)], {
    execArgv: ['--expose-gc'],
    // The SDK warns of its own options.
    stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
  })
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`a server under test ended with ${code}`)
  })
  ended.catch(() => {})
  const next = async <T>(): Promise<T> => {
    const [message] = await Promise.race([once(child, 'message'), ended])
    return message
  }
  const ask = async (what: 'usage' | 'memory' | 'kept'): Promise<Usage> => {
    const usage = next<Usage>()
    child.send(what)
    return usage
  }
  const told = await next<Pick<BenchServer, 'url' | 'token' | 'bootMilliseconds'>>()
  return {
    name: tools === 1 ? way : `${way}, ${tools} tools`,
    way,
    tools,
    ...told,
    usage: () => ask('usage'),
    memory: () => ask('memory'),
    kept: () => ask('kept'),
    stop: () => child.disconnect(),
  }
}
