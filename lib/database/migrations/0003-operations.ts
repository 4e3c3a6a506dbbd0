import { type Kysely, sql } from 'kysely'
import { isolate, ofWorkspace } from './isolate.ts'

/** What every 202 points to, and the kept answers of requests with an Idempotency-Key. */
export const operations = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await statement.execute(db)
    await isolate(db, 'operations', { rows: ofWorkspace, privileges: 'select, insert, update, delete' })
    await isolate(db, 'idempotency_keys', { rows: ofScope, privileges: 'select, insert, update, delete' })
  },
}

/** An organization's scope has no workspace and meets only the answers kept without one. */
const ofScope = sql`organization_id = current_setting('app.organization_id', true)
  and coalesce(workspace_id, '') = current_setting('app.workspace_id', true)`

const statements = [
  sql`create table operations (
    id text not null,
    organization_id text not null,
    workspace_id text not null,
    kind text not null,
    status text not null default 'queued' check (status in ('queued', 'running', 'succeeded', 'failed')),
    email_id text,
    resource_type text,
    resource_id text,
    error_code text,
    error_detail text,
    created_by text,
    created_at timestamptz(3) not null default now(),
    started_at timestamptz(3),
    finished_at timestamptz(3),
    primary key (workspace_id, id),
    foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade,
    foreign key (workspace_id, email_id) references emails (workspace_id, id) on delete set null (email_id),
    foreign key (organization_id, created_by) references users (organization_id, id)
      on delete set null (created_by)
  )`,
  sql`create index operations_newest on operations (workspace_id, created_at desc, id desc)`,
  sql`create index operations_by_status on operations (workspace_id, status, created_at desc, id desc)`,
  sql`create index operations_of_email on operations (workspace_id, email_id)`,
  sql`create index operations_of_user on operations (organization_id, created_by)`,
  sql`create index operations_of_organization on operations (organization_id, workspace_id)`,

  sql`create table idempotency_keys (
    id text primary key,
    organization_id text not null references organizations on delete cascade,
    workspace_id text,
    user_id text not null,
    client_id text not null,
    key text not null,
    fingerprint text not null,
    status integer not null,
    headers jsonb not null default '{}',
    body text,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null,
    foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade,
    foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade
  )`,
  sql`create unique index idempotency_keys_once
    on idempotency_keys (user_id, client_id, coalesce(workspace_id, ''), key)`,
  sql`create index idempotency_keys_expiry on idempotency_keys (expires_at)`,
  sql`create index idempotency_keys_of_workspace on idempotency_keys (organization_id, workspace_id)`,
]
