import { type Kysely, sql } from 'kysely'
import { isolate, ofWorkspace } from './isolate.ts'

/**
 * Inboxes and what arrives in them. Keys begin with the workspace, and so do references: a row cannot point
 * into another workspace, and a lookup by id under row-level security is one index probe.
 */
export const emails = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of [...inboxTables, ...emailTables, ...emailIndexes]) await statement.execute(db)
    for (const table of tables) {
      await isolate(db, table, { rows: ofWorkspace, privileges: 'select, insert, update, delete' })
    }
    await search.execute(db)
    await sql`grant select on email_search to kobana_app`.execute(db)
  },
}

const tables = [
  'inboxes',
  'allowed_senders',
  'emails',
  'email_sources',
  'email_texts',
  'attachments',
  'attachment_contents',
]

const inboxTables = [
  sql`create table inboxes (
    id text not null,
    organization_id text not null,
    workspace_id text not null,
    address text not null check (address = lower(address)),
    name text not null,
    description text,
    status text not null default 'active' check (status in ('active', 'paused')),
    sender_policy text not null default 'anyone' check (sender_policy in ('anyone', 'allowlist')),
    retention_days integer check (retention_days > 0),
    version integer not null default 1 check (version > 0),
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    deleted_at timestamptz(3),
    primary key (workspace_id, id),
    foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade
  )`,
  sql`create unique index inboxes_address on inboxes (address) where deleted_at is null`,
  sql`create index inboxes_of_organization on inboxes (organization_id, workspace_id)`,

  sql`create table allowed_senders (
    workspace_id text not null,
    inbox_id text not null,
    pattern text not null check (pattern = lower(pattern)),
    created_at timestamptz(3) not null default now(),
    primary key (workspace_id, inbox_id, pattern),
    foreign key (workspace_id, inbox_id) references inboxes (workspace_id, id) on delete cascade
  )`,
]

const emailTables = [
  sql`create table emails (
    id text not null,
    organization_id text not null,
    workspace_id text not null,
    inbox_id text not null,
    status text not null default 'received'
      check (status in ('received', 'processing', 'processed', 'failed', 'rejected')),
    failure_code text,
    failure_reason text,
    message_id text,
    envelope_from text,
    from_address text,
    from_name text,
    "to" jsonb not null default '[]',
    cc jsonb not null default '[]',
    subject text,
    received_at timestamptz(3) not null default now(),
    sent_at timestamptz(3),
    size_bytes bigint not null check (size_bytes >= 0),
    has_attachments boolean not null default false,
    attachment_count integer not null default 0 check (attachment_count >= 0),
    labels text[] not null default '{}',
    read boolean not null default false,
    version integer not null default 1 check (version > 0),
    text_search tsvector,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    processed_at timestamptz(3),
    deleted_at timestamptz(3),
    primary key (workspace_id, id),
    foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade,
    foreign key (workspace_id, inbox_id) references inboxes (workspace_id, id) on delete cascade
  )`,

  sql`create table email_sources (
    email_id text not null,
    workspace_id text not null,
    raw bytea not null,
    primary key (workspace_id, email_id),
    foreign key (workspace_id, email_id) references emails (workspace_id, id) on delete cascade
  )`,
  // Mail is compressed badly and read whole: kept as it is, out of line.
  sql`alter table email_sources alter column raw set storage external`,

  sql`create table email_texts (
    email_id text not null,
    workspace_id text not null,
    text text,
    html text,
    primary key (workspace_id, email_id),
    foreign key (workspace_id, email_id) references emails (workspace_id, id) on delete cascade
  )`,

  sql`create table attachments (
    id text not null,
    workspace_id text not null,
    email_id text not null,
    filename text,
    content_type text not null,
    size_bytes bigint not null check (size_bytes >= 0),
    content_id text,
    disposition text not null default 'attachment' check (disposition in ('attachment', 'inline')),
    sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
    position integer not null check (position >= 0),
    primary key (workspace_id, id),
    unique (workspace_id, email_id, position),
    foreign key (workspace_id, email_id) references emails (workspace_id, id) on delete cascade
  )`,

  sql`create table attachment_contents (
    attachment_id text not null,
    workspace_id text not null,
    content bytea not null,
    primary key (workspace_id, attachment_id),
    foreign key (workspace_id, attachment_id) references attachments (workspace_id, id) on delete cascade
  )`,
  sql`alter table attachment_contents alter column content set storage external`,
]

/** Each list filter has its own order by newest first, so that a page is read from the index and no further. */
const emailIndexes = [
  sql`create index emails_newest on emails (workspace_id, received_at desc, id desc) where deleted_at is null`,
  sql`create index emails_of_inbox on emails (workspace_id, inbox_id, received_at desc, id desc)
    where deleted_at is null`,
  sql`create index emails_by_status on emails (workspace_id, status, received_at desc, id desc)
    where deleted_at is null`,
  sql`create index emails_from on emails (workspace_id, from_address, received_at desc, id desc)
    where deleted_at is null`,
  sql`create index emails_labels on emails using gin (labels) where deleted_at is null`,
  sql`create index emails_text on emails using gin (text_search) where deleted_at is null`,
  // The same message delivered twice to an inbox is one e-mail.
  sql`create unique index emails_message on emails (workspace_id, inbox_id, message_id)
    where message_id is not null and deleted_at is null`,
  sql`create index emails_of_organization on emails (organization_id, workspace_id)`,
]

/**
 * Under row-level security PostgreSQL refuses the two inverted indexes: their operators are not leakproof, so
 * that the policy must be checked on every row before them. The view checks the workspace itself, as its
 * owner, and leaves the order to the planner; by `any` rather than by `=`, because an equality that a policy
 * has, too, is merged with the policy's and comes first again. Ask it for ids of what matches, for no more.
 */
const search = sql`create view email_search as
  select id as email_id, labels, text_search from emails
  where workspace_id = any (array[current_setting('app.workspace_id', true)]) and deleted_at is null`
