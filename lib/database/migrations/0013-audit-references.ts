import { type Kysely, sql } from 'kysely'

/**
 * An audit event refers to its workspace or, where it has none, to its organization, and no longer to both: every
 * reference is looked up for every row, and locks what it finds.
 */
export const auditReferences = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await statement.execute(db)
  },
}

const statements = [
  sql`alter table audit_events drop constraint audit_events_organization_id_fkey`,
  sql`alter table audit_events add column organization_level_id text
    generated always as (case when workspace_id is null then organization_id end) stored
    references organizations on delete cascade`,
  // For the deletion of an organization. Events of a workspace are not in it.
  sql`create index audit_events_organization_level on audit_events (organization_level_id)
    where organization_level_id is not null`,
]
