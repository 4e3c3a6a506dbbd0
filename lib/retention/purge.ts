import type { Database } from '../database/database.ts'
import type { RetentionPeriods } from './periods.ts'

/** What `counts` of an audit event hold: how many of each were removed. */
export type PurgedKind =
  | 'emails'
  | 'bytes'
  | 'inboxes'
  | 'events'
  | 'operations'
  | 'erasures'
  | 'webhooks'
  | 'audit_events'

export type PurgedCounts = Partial<Record<PurgedKind, number>>

/** A run on one tenant: what it works with, and what it has removed so far. */
export interface Purge {
  readonly database: Database
  readonly periods: RetentionPeriods
  /** Ends the run between two batches. */
  readonly signal: AbortSignal
  readonly counts: PurgedCounts
  count(kind: PurgedKind, removed: number): void
}

export function createPurge(given: Omit<Purge, 'counts' | 'count'>): Purge {
  const counts: PurgedCounts = {}
  return {
    ...given,
    counts,
    count(kind, removed) {
      if (removed > 0) counts[kind] = (counts[kind] ?? 0) + removed
    },
  }
}
