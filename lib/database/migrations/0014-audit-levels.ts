import { type Kysely, sql } from 'kysely'

/** The organization of the audit events that are there already. Others are read and written meanwhile. */
export const auditLevels = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`update audit_events set organization_level_id = organization_id
      where workspace_id is null and organization_level_id is null`.execute(db)
  },
}
