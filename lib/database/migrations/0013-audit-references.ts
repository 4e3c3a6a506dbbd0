import { type Kysely, sql } from 'kysely'

/**
 * An audit event is to refer to its workspace or, where it has none, to its organization, and not to both: every
 * reference is looked up for every row, and locks what it finds. In three steps, since the whole table is locked while
 * the first and the last of them run: the column, its values in what is there, and no reference but these.
 */
export const auditReferences = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await statement.execute(db)
  },
}

const statements = [
  // Filled by a trigger and not generated: a generated column would have the whole table written anew, under the lock.
  sql`alter table audit_events
    add column organization_level_id text references organizations on delete cascade`,
  // For the deletion of an organization. Events of a workspace are not in it.
  sql`create index audit_events_organization_level on audit_events (organization_level_id)
    where organization_level_id is not null`,
  sql`create function public.refer_to_organization() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $$
    begin
      new.organization_level_id := new.organization_id;
      return new;
    end
    $$`,
  sql`create trigger refer_to_organization before insert on audit_events
    for each row when (new.workspace_id is null) execute function public.refer_to_organization()`,
]
