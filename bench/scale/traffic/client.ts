import type { Ledger } from '../ledger.ts'
import type { People } from '../people.ts'

/** What every client of the run knows. */
export interface TrafficContext {
  readonly ledger: Ledger
  readonly people: People
  /** Of the proxy. */
  readonly url: string
  readonly mailPort: number
}

/** Does one piece of work; called again and again. */
export type Client = (context: TrafficContext, turn: number) => Promise<void>

/** Milliseconds that a client waits before it repeats what was refused, and how often it does. */
export const pause = 400
export const attempts = 200
