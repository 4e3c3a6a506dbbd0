import { type Kysely, sql } from 'kysely'

/** Ends the second reference of an audit event, and keeps the one that is left within its own organization. */
export const auditOrganization = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table audit_events
      drop constraint if exists audit_events_organization_id_fkey,
      add constraint audit_events_organization_level
        check (organization_level_id is null or organization_level_id = organization_id)`.execute(db)
  },
}
