import { Redis } from 'ioredis'
import type { Log } from '../log/log.ts'

/** A Redis that nothing waits for: what it does not answer at once is done without it. */
export interface SharedRedis {
  readonly client: Redis
  /** What `work` resolves to, or null where Redis is away, which is known within milliseconds. Never rejects. */
  attempt<T>(work: () => Promise<T>): Promise<T | null>
  /** Resolves when it is connected, or has failed to be, or after a second. */
  settled(): Promise<void>
  close(): void
}

/** Milliseconds that is waited for a command. */
const patience = 100
/** Milliseconds without Redis after a failure, so that an outage costs one request's patience and not everybody's. */
const pause = 1_000

/**
 * Connects in the background, for good. The client's defaults would keep commands until the server is back, and with
 * them every request; here nothing is queued, sent again or waited for. Each outage is logged once, and its end.
 */
export function createSharedRedis(url: string, log: Pick<Log, 'warn' | 'info'>): SharedRedis {
  const client = new Redis(url, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // Only tidies up: what is waited for is less, see below.
    commandTimeout: 2_000,
    connectTimeout: 2_000,
    // A peer that has vanished without a word is noticed by this.
    socketTimeout: 5_000,
    retryStrategy: attempts => Math.min(attempts * 100, 1_000),
  })
  let lastError = ''
  let triesAgainAt = 0
  let isAway = false
  client.on('error', error => {
    lastError = error.message
  })

  return {
    client,
    async attempt(work) {
      if (Date.now() < triesAgainAt) return null
      try {
        const result = await withDeadline(work())
        if (isAway) log.info('Redis answers again')
        isAway = false
        return result
      } catch (error) {
        triesAgainAt = Date.now() + pause
        // Its text alone: errors of the client carry the command, and with it a password.
        const reason = lastError || (error instanceof Error ? error.message : String(error))
        if (!isAway)
          log.warn({ reason }, 'Redis is away: what it shares is counted in this process meanwhile')
        isAway = true
        lastError = ''
        return null
      }
    },
    settled: () =>
      new Promise(resolve => {
        if (client.status === 'ready') return resolve()
        const timer = setTimeout(resolve, 1_000)
        for (const event of ['ready', 'close', 'end']) {
          client.once(event, () => {
            clearTimeout(timer)
            resolve()
          })
        }
      }),
    close: () => client.disconnect(),
  }
}

/**
 * A process that was busy meanwhile finds its timers due before it has looked at its sockets, hence the moment in
 * between: a late answer that is there counts.
 */
async function withDeadline<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new Error(`no answer within ${patience} ms`))
    timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), patience)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
