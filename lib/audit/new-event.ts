import type { AuditOutcome, AuditVia } from '../database/tables.ts'

/** What an event is about: `email` and its id. */
export interface AuditResource {
  readonly type: string
  readonly id: string
}

/** What a client says of itself; no decision rests on it. */
export interface AuditClient {
  readonly name: string
  readonly version: string | null
}

/**
 * What is to be recorded. It has room for ids, names of operations and codes only: no body, no header and no text
 * of anybody's mail can get into the record.
 */
export interface NewAuditEvent {
  readonly organizationId: string
  /** Null for what was done to the organization, or refused before a workspace was known. */
  readonly workspaceId: string | null
  /** The person; null for the system. */
  readonly actorId: string | null
  readonly clientId: string | null
  readonly client: AuditClient | null
  readonly via: AuditVia
  /** The operation's id. */
  readonly action: string
  readonly resource: AuditResource | null
  readonly outcome: AuditOutcome
  readonly code: string | null
  /** Of the HTTP answer. */
  readonly status: number | null
  readonly replayed: boolean
  readonly counts: Readonly<Record<string, number>> | null
  readonly requestId: string | null
}
