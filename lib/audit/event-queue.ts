import { setImmediate } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import type { NewAuditEvent } from './new-event.ts'
import { type EventRow, toEventRow, toInsertion } from './record-events.ts'

/** Takes events that stand in no transaction of their own: refusals, failures, and what agents read. */
export interface EventQueue {
  /** Returns at once. The event is recorded with those of the same moment, as soon as the statement before is done. */
  add(event: NewAuditEvent): void
  /** Resolves when everything added so far is recorded, or has failed to be. Never rejects. */
  drain(): Promise<void>
}

export interface EventQueueOptions {
  /** Told of events that could not be recorded. */
  onError(error: unknown, events: readonly NewAuditEvent[]): void
  /** Events that may wait; further ones are given to `onError`. Default 10,000. */
  readonly capacity?: number
}

/** With its row, made when it was added: what waits is not to look as if it came after what it came before. */
interface Waiting {
  readonly event: NewAuditEvent
  readonly row: EventRow
}

/** The most that one statement records. */
const batchSize = 500

/**
 * Records events beside the requests that they are of, one statement at a time: the busier it is, the more events
 * share a statement, and never more than one connection is taken from the requests.
 */
export function createEventQueue(database: Database, options: EventQueueOptions): EventQueue {
  const { onError, capacity = 10_000 } = options
  let waiting: Waiting[] = []
  let running: Promise<void> | null = null

  return {
    add(event) {
      if (waiting.length >= capacity) return onError(new Error('too many audit events are waiting'), [event])
      waiting.push({ event, row: toEventRow(event) })
      running ??= run()
    },
    async drain() {
      while (running) await running
    },
  }

  async function run(): Promise<void> {
    try {
      while (waiting.length > 0) {
        // The embedded engine answers before anything else is read: without a turn for others each event would be alone.
        await setImmediate()
        const batch = waiting.slice(0, batchSize)
        waiting = waiting.slice(batchSize)
        await record(batch)
      }
    } finally {
      // In the same moment in which nothing waits, so that what is added next begins anew.
      running = null
    }
  }

  // As the owner: one statement holds events of many tenants, each of which was told by the request itself.
  async function record(batch: readonly Waiting[]): Promise<void> {
    const rows = batch.map(({ row }) => row)
    try {
      await database.executeAsOwner(toInsertion(rows))
    } catch (error) {
      const events = batch.map(({ event }) => event)
      if (batch.length === 1) return onError(error, events)
      // One of them may be impossible by now, its workspace gone; that is no reason to lose the others.
      for (const one of batch) await record([one])
    }
  }
}
