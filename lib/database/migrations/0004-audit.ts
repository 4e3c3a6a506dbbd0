import { type Kysely, sql } from 'kysely'
import { isolate } from './isolate.ts'

/** Who did what, and versions of memberships. */
export const audit = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await statement.execute(db)
    // What is written stays: the application may neither change nor remove it.
    await isolate(db, 'audit_events', { rows: ofScope, privileges: 'select, insert' })
  },
}

/**
 * A workspace's own events, and those of its organization as a whole, which have no workspace. `is true` changes
 * nothing but the plan: a bare `or` makes PostgreSQL join two index scans and sort what they find.
 */
const ofScope = sql`organization_id = current_setting('app.organization_id', true)
  and (workspace_id is null or workspace_id = current_setting('app.workspace_id', true)) is true`

const statements = [
  sql`alter table memberships add column version integer not null default 1 check (version > 0)`,

  // The person has no reference: what they did is on record when they are gone.
  sql`create table audit_events (
    id text not null,
    organization_id text not null references organizations on delete cascade,
    workspace_id text,
    occurred_at timestamptz(3) not null default now(),
    actor_id text,
    client_id text,
    client_name text,
    client_version text,
    via text not null check (via in ('rest', 'mcp', 'system')),
    action text not null,
    resource_type text,
    resource_id text,
    outcome text not null check (outcome in ('succeeded', 'refused', 'failed')),
    code text,
    status integer,
    replayed boolean not null default false,
    counts jsonb,
    request_id text,
    primary key (organization_id, id),
    foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade
  )`,
  // Each newest first, so that a page is read from the index and no further. They begin with the organization because
  // the policy names it.
  sql`create index audit_events_newest
    on audit_events (organization_id, workspace_id, occurred_at desc, id desc)`,
  sql`create index audit_events_of_actor
    on audit_events (organization_id, workspace_id, actor_id, occurred_at desc, id desc)`,
  sql`create index audit_events_of_action
    on audit_events (organization_id, workspace_id, action, occurred_at desc, id desc)`,
  sql`create index audit_events_of_resource
    on audit_events (organization_id, workspace_id, resource_id, occurred_at desc, id desc)
    where resource_id is not null`,
  sql`create index audit_events_of_organization on audit_events (organization_id, occurred_at desc, id desc)
    where workspace_id is null`,
]
