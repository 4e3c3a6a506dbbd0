import type { RawBuilder, Transaction } from 'kysely'
import type { Pool, QueryConfig, QueryResultRow } from 'pg'
import type { Tables } from './tables.ts'

/** One workspace of one organization: whose rows a transaction may see and write. */
export interface Tenant {
  readonly organizationId: string
  readonly workspaceId: string
}

/** Whom a transaction works for; `owner` bypasses row-level security. */
export type Scope =
  | { readonly kind: 'tenant'; readonly tenant: Tenant }
  | { readonly kind: 'organization'; readonly organizationId: string }
  | { readonly kind: 'owner' }

/** What is done inside one transaction. */
export type Work<T> = (trx: Transaction<Tables>) => Promise<T>

/**
 * The database, whichever engine runs it. Everything goes through transactions with a scope. On the embedded
 * engine there is a single connection: a transaction that waits for another one of the same process waits
 * until the acquisition deadline, so never open one inside another.
 */
export interface Database {
  readonly engine: 'pglite' | 'postgres'
  /** For job queues and advisory locks. It acts as the owner and knows no tenant. */
  readonly pool: Pool
  /** One transaction that sees and writes one workspace only. A rejection of `work` rolls it back. */
  inTenant<T>(tenant: Tenant, work: Work<T>): Promise<T>
  /** One transaction that sees an organization, its people, workspaces and memberships, and nothing else. */
  inOrganization<T>(organizationId: string, work: Work<T>): Promise<T>
  /** One transaction without row-level security. Whoever uses it says why. */
  asOwner<T>(work: Work<T>): Promise<T>
  /** One statement without row-level security, which is a transaction by itself: two round trips less than `asOwner`. */
  executeAsOwner(statement: RawBuilder<unknown>): Promise<void>
  /**
   * Rows of one statement as the owner. On a server it waits for no connection of the pool, and two seconds at most for
   * its answer; on the embedded engine it waits its turn.
   */
  queryAside<Row extends QueryResultRow>(query: QueryConfig): Promise<readonly Row[]>
  /** A transaction that its caller ends. It must end, on every path: it holds a connection. */
  begin(scope: Scope): Promise<OpenTransaction>
  /** Whether the database answers within two seconds. Never rejects. */
  isReady(): Promise<boolean>
  /** Waits for what runs, then lets everything go. A second call does nothing. */
  close(): Promise<void>
}

/**
 * An open transaction. A `commit` that rejects has rolled back; `rollback` does not reject. After either of
 * them nothing else may be called.
 */
export interface OpenTransaction {
  readonly trx: Transaction<Tables>
  commit(): Promise<void>
  rollback(): Promise<void>
  savepoint(name: string): Promise<void>
  rollbackTo(name: string): Promise<void>
}
