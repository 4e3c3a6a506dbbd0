import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'

const attempts = 20

/**
 * Makes sure that the application's role exists and that this user may take it. Roles belong to the whole
 * server, where others may be doing the same for another database at this moment: whoever comes second gets an
 * error that only says so, and looks again.
 */
export async function ensureApplicationRole(pool: Pool): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await createApplicationRole(pool)
    } catch (error) {
      if (attempt === attempts || !isCollision(error)) throw error
      await delay(Math.random() * 25 * attempt)
    }
  }
}

async function createApplicationRole(pool: Pool): Promise<void> {
  const found = await canTakeRole(pool)
  if (found) return
  if (found === undefined) await pool.query('create role kobana_app nologin noinherit nobypassrls')
  if (!(await canTakeRole(pool))) await pool.query('grant kobana_app to current_user')
}

/** Undefined when there is no such role. From PostgreSQL 16 on, a member may lack the right to `set role`. */
async function canTakeRole(pool: Pool): Promise<boolean | undefined> {
  const { rows } = await pool.query<{ allowed: boolean }>(`
    select pg_has_role(current_user, oid,
      case when current_setting('server_version_num')::int < 160000 then 'MEMBER' else 'SET' end) as allowed
    from pg_roles where rolname = 'kobana_app'`)
  return rows[0]?.allowed
}

/** Duplicate object, unique violation, and `tuple concurrently updated`, which has no code of its own. */
function isCollision(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['42710', '23505', 'XX000'].includes(String(error.code))
}
