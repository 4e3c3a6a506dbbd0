import { Kysely, PostgresDialect, sql } from 'kysely'
import type { QueryConfig, QueryResultRow } from 'pg'
import type { Database, OpenTransaction, Scope, Work } from './database.ts'
import type { Engine } from './engine.ts'
import { enterScope } from './scope.ts'
import type { Tables } from './tables.ts'

const readinessDeadline = 2_000

/** The database as everybody sees it: an engine whose transactions each have a scope. */
export function createDatabase(engine: Engine): Database {
  const { pool, queryAside = createQueryBehind(pool) } = engine
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  let closing: Promise<void> | undefined

  const run = <T>(scope: Scope, work: Work<T>) =>
    kysely.transaction().execute(async trx => {
      await enterScope(trx, scope)
      return work(trx)
    })

  return {
    engine: engine.name,
    pool,
    inTenant: (tenant, work) => run({ kind: 'tenant', tenant }, work),
    inOrganization: (organizationId, work) => run({ kind: 'organization', organizationId }, work),
    asOwner: work => run({ kind: 'owner' }, work),
    async executeAsOwner(statement) {
      await statement.execute(kysely)
    },
    queryAside: query => (closing ? Promise.reject(toClosed()) : queryAside(query)),
    begin: scope => begin(kysely, scope),
    isReady: () => withDeadline(answers(pool), readinessDeadline),
    close() {
      closing ??= engine.close()
      return closing
    },
  }
}

function createQueryBehind(pool: Engine['pool']): Database['queryAside'] {
  return async <Row extends QueryResultRow>(query: QueryConfig) => (await pool.query<Row>(query)).rows
}

function toClosed(): Error {
  return new Error('the database is closed')
}

async function begin(kysely: Kysely<Tables>, scope: Scope): Promise<OpenTransaction> {
  const trx = await kysely.startTransaction().execute()
  // Where the connection is lost, so is the transaction: there is nothing left to undo, and nobody to tell.
  const rollback = () =>
    trx
      .rollback()
      .execute()
      .catch(() => {})
  try {
    await enterScope(trx, scope)
  } catch (error) {
    await rollback()
    throw error
  }
  return {
    trx,
    async commit() {
      try {
        await trx.commit().execute()
      } catch (error) {
        await rollback()
        throw error
      }
    },
    rollback,
    async savepoint(name) {
      await sql`savepoint ${sql.id(name)}`.execute(trx)
    },
    async rollbackTo(name) {
      await sql`rollback to savepoint ${sql.id(name)}`.execute(trx)
    },
  }
}

async function answers(pool: Engine['pool']): Promise<boolean> {
  try {
    await pool.query('select 1')
    return true
  } catch {
    return false
  }
}

async function withDeadline(answer: Promise<boolean>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>(resolve => {
    timer = setTimeout(resolve, milliseconds, false)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
