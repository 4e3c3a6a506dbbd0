import { setTimeout as delay } from 'node:timers/promises'
import { Client, Pool, type PoolClient, type PoolConfig } from 'pg'

type ConnectCallback = Parameters<typeof Pool.prototype.connect>[0]

/** What a pool is told besides node-postgres' own options. */
export interface ConnectionPoolOptions extends PoolConfig {
  /**
   * Whether there is one connection that cannot be replaced (the embedded engine). node-postgres discards a
   * connection after any error of `pool.query`; ending this one would also end whoever took it next.
   */
  readonly onlyConnection: boolean
  /** Told of errors of idle connections and of connections that come back inside a transaction. */
  readonly onError: (error: Error) => void
}

/**
 * node-postgres' pool, which never lends a connection that is still inside somebody's transaction, and so in
 * somebody's tenant: such a one is rolled back when it is the only one there is, and discarded otherwise.
 */
export class ConnectionPool extends Pool {
  readonly #onlyConnection: boolean
  readonly #onError: (error: Error) => void
  /** What is lent, since when. */
  readonly #lent = new Map<PoolClient, number>()

  constructor({ onlyConnection, onError, ...config }: ConnectionPoolOptions) {
    super(config)
    this.#onlyConnection = onlyConnection
    this.#onError = onError
    // Without a listener, an idle connection that breaks ends the process.
    this.on('error', onError)
  }

  override connect(): Promise<PoolClient>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<PoolClient> | undefined {
    if (!callback) return super.connect().then(client => this.#guard(client))
    super.connect((error, client) => {
      const guarded = client && this.#guard(client)
      callback(error, guarded, reason => guarded?.release(reason))
    })
    return undefined
  }

  /** Takes nothing new and waits for what is lent, but no longer than ten seconds. */
  async drain(): Promise<void> {
    const patience = new AbortController()
    const late = delay(10_000, undefined, { signal: patience.signal }).catch(() => {})
    try {
      await Promise.race([this.end(), late])
    } finally {
      patience.abort()
    }
  }

  /** How many connections have been lent for longer than so many milliseconds. */
  lentSince(milliseconds: number): number {
    return this.#findLent(milliseconds).length
  }

  /** Gives up the connections that have been lent for longer: what waits for their server is rejected. */
  abandon(milliseconds: number): void {
    for (const client of this.#findLent(milliseconds)) {
      this.#lent.delete(client)
      // The type of what is lent leaves `end` out, since a borrower has no business with it.
      if (client instanceof Client) client.end().catch(this.#onError)
    }
  }

  #findLent(milliseconds: number): PoolClient[] {
    const before = performance.now() - milliseconds
    return [...this.#lent].filter(([, since]) => since < before).map(([client]) => client)
  }

  #guard(client: PoolClient): PoolClient {
    const release = client.release.bind(client)
    this.#lent.set(client, performance.now())
    // The pool listens while a connection is idle. One that breaks while it is lent would otherwise end the process. It
    // is its borrower's to tell, who finds out with this query or the next.
    let fault: Error | undefined
    const onBreak = (error: Error) => {
      fault = error
      if (this.#onlyConnection) this.#onError(error)
    }
    client.on('error', onBreak)
    const giveBack = (reason?: Error | boolean) => {
      this.#lent.delete(client)
      release(reason)
      client.removeListener('error', onBreak)
    }
    client.release = reason => {
      // What the status says is the last word of a connection that is not there any more.
      const isDead = fault !== undefined || !this.#lent.has(client)
      if (isDead && !this.#onlyConnection) return giveBack(fault ?? true)
      const status = client.getTransactionStatus()
      const isIdle = status === 'I' || status === null
      if (!isIdle) this.#onError(new Error('a connection was released inside a transaction'))
      if (!this.#onlyConnection) return giveBack(isIdle ? reason : true)
      // With a reason, it comes back on an error message, before the status that follows it.
      if (isIdle && !reason) return giveBack()
      client.query('rollback').then(() => giveBack(), giveBack)
    }
    return client
  }
}
