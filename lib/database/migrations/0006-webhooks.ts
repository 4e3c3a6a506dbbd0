import { type Kysely, sql } from 'kysely'
import { isolate, ofWorkspace } from './isolate.ts'

/** Who is told what happens in a workspace: webhooks, events, and how each of them was delivered. */
export const webhooks = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await statement.execute(db)
    for (const table of ['webhooks', 'events', 'deliveries', 'delivery_attempts']) {
      await isolate(db, table, { rows: ofWorkspace, privileges: 'select, insert, update, delete' })
    }
  },
}

const statements = [
  // Secrets are sealed by the application: what stands here is of no use without its key.
  sql`create table webhooks (
    id text not null,
    organization_id text not null,
    workspace_id text not null,
    url text not null,
    description text,
    event_types text[] not null,
    enabled boolean not null default true,
    disabled_code text check (disabled_code in ('gone', 'failing')),
    disabled_at timestamptz(3),
    failing_since timestamptz(3),
    secret text not null,
    previous_secret text,
    previous_secret_until timestamptz(3),
    version integer not null default 1 check (version > 0),
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    deleted_at timestamptz(3),
    primary key (workspace_id, id),
    foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade,
    check ((previous_secret is null) = (previous_secret_until is null))
  )`,
  sql`create index webhooks_of_organization on webhooks (organization_id, workspace_id)`,

  // What an event says of an e-mail goes with the e-mail when that is purged.
  sql`create table events (
    id text not null,
    organization_id text not null,
    workspace_id text not null,
    type text not null,
    key text not null,
    email_id text,
    data jsonb not null,
    created_at timestamptz(3) not null default now(),
    primary key (workspace_id, id),
    foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade,
    foreign key (workspace_id, email_id) references emails (workspace_id, id) on delete cascade
  )`,
  sql`create unique index events_once on events (workspace_id, key)`,
  sql`create index events_of_email on events (workspace_id, email_id)`,
  sql`create index events_of_organization on events (organization_id, workspace_id)`,
  sql`create index events_by_age on events (created_at)`,

  sql`create table deliveries (
    id text not null,
    organization_id text not null,
    workspace_id text not null,
    webhook_id text not null,
    event_id text not null,
    event_type text not null,
    status text not null default 'pending' check (status in ('pending', 'succeeded', 'dead')),
    failure_code text,
    attempt_count integer not null default 0,
    next_attempt_at timestamptz(3),
    created_at timestamptz(3) not null default now(),
    finished_at timestamptz(3),
    primary key (workspace_id, id),
    foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade,
    foreign key (workspace_id, webhook_id) references webhooks (workspace_id, id) on delete cascade,
    foreign key (workspace_id, event_id) references events (workspace_id, id) on delete cascade
  )`,
  sql`create unique index deliveries_once on deliveries (workspace_id, webhook_id, event_id)`,
  sql`create index deliveries_of_event on deliveries (workspace_id, event_id)`,
  sql`create index deliveries_of_webhook on deliveries (workspace_id, webhook_id, id desc)`,
  sql`create index deliveries_by_status on deliveries (workspace_id, status, id desc)`,
  sql`create index deliveries_by_type on deliveries (workspace_id, event_type, id desc)`,
  sql`create index deliveries_of_organization on deliveries (organization_id, workspace_id)`,

  sql`create table delivery_attempts (
    workspace_id text not null,
    delivery_id text not null,
    number integer not null check (number > 0),
    status integer,
    latency_ms integer not null,
    response_excerpt text,
    error_code text,
    attempted_at timestamptz(3) not null,
    primary key (workspace_id, delivery_id, number),
    foreign key (workspace_id, delivery_id) references deliveries (workspace_id, id) on delete cascade
  )`,

  // Kept from now on sealed; what was kept before is for a day and would not open.
  sql`delete from idempotency_keys`,

  sql`create index operations_of_resource on operations (workspace_id, resource_id)`,
]
