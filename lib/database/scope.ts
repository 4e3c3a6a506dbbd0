import { sql, type Transaction } from 'kysely'
import type { Scope } from './database.ts'
import type { Tables } from './tables.ts'

/** The role that row-level security applies to. It owns nothing and cannot log in. */
export const applicationRole = 'kobana_app'

/**
 * Binds a transaction to its scope until it ends, commit or not: the role and the two settings that the
 * policies compare with. An organization's scope has an empty workspace, which no row has.
 */
export async function enterScope(trx: Transaction<Tables>, scope: Scope): Promise<void> {
  if (scope.kind === 'owner') return
  const { organizationId, workspaceId } =
    scope.kind === 'tenant' ? scope.tenant : { organizationId: scope.organizationId, workspaceId: '' }
  if (!organizationId || (scope.kind === 'tenant' && !workspaceId)) throw new Error('a tenant lacks an id')
  await sql`select
    set_config('role', ${applicationRole}, true),
    set_config('app.organization_id', ${organizationId}, true),
    set_config('app.workspace_id', ${workspaceId}, true)`.execute(trx)
}
