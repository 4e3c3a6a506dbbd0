import { type Kysely, sql } from 'kysely'
import { isolate, ofWorkspace } from './isolate.ts'

/** What the worker proved of messages, and the rules by which it files them. */
export const extractionsAndRules = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of [...extractionStatements, ...ruleStatements]) await statement.execute(db)
    for (const table of ['extractions', 'rules', 'rule_matches']) {
      await isolate(db, table, { rows: ofWorkspace, privileges: 'select, insert, update, delete' })
    }
  },
}

const extractionStatements = [
  sql`alter table attachments add column reading text check (reading in
    ('read', 'truncated', 'not_pdf', 'too_large', 'encrypted', 'broken', 'timeout', 'memory', 'skipped'))`,

  // The inbox stands here as well, so that each filter's list is read from one index in its order. Values may be
  // longer than an index takes; the digest is a column, because an index on an expression that is not leakproof
  // is not used under row-level security.
  sql`create table extractions (
    id text not null,
    workspace_id text not null,
    email_id text not null,
    inbox_id text not null,
    kind text not null,
    value text not null,
    value_hash text not null generated always as (md5(value)) stored,
    details jsonb not null,
    source text not null check (source in ('text', 'html', 'attachment')),
    attachment_id text,
    found_offset integer not null check (found_offset >= 0),
    found_length integer not null check (found_length >= 0),
    excerpt text,
    due_on date,
    position integer not null check (position >= 0),
    found_at timestamptz(3) not null default now(),
    primary key (workspace_id, id),
    unique (workspace_id, email_id, position),
    check ((source = 'attachment') = (attachment_id is not null)),
    foreign key (workspace_id, email_id) references emails (workspace_id, id) on delete cascade,
    foreign key (workspace_id, inbox_id) references inboxes (workspace_id, id) on delete cascade,
    foreign key (workspace_id, attachment_id) references attachments (workspace_id, id) on delete cascade
  )`,
  sql`create index extractions_newest on extractions (workspace_id, found_at desc, id desc)`,
  sql`create index extractions_by_kind on extractions (workspace_id, kind, found_at desc, id desc)`,
  sql`create index extractions_of_inbox on extractions (workspace_id, inbox_id, found_at desc, id desc)`,
  sql`create index extractions_by_value on extractions (workspace_id, value_hash, found_at desc, id desc)`,
  sql`create index extractions_due on extractions (workspace_id, due_on) where due_on is not null`,
  sql`create index extractions_of_attachment on extractions (workspace_id, attachment_id)
    where attachment_id is not null`,
]

const ruleStatements = [
  sql`create table rules (
    id text not null,
    organization_id text not null,
    workspace_id text not null,
    key text not null,
    name text not null,
    description text,
    enabled boolean not null default true,
    priority integer not null default 100,
    stop boolean not null default false,
    match text not null default 'all' check (match in ('all', 'any')),
    conditions jsonb not null,
    actions jsonb not null,
    matched_count bigint not null default 0 check (matched_count >= 0),
    last_matched_at timestamptz(3),
    version integer not null default 1 check (version > 0),
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    primary key (workspace_id, id),
    unique (workspace_id, key),
    foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade
  )`,
  sql`create index rules_in_order on rules (workspace_id, priority, id)`,
  sql`create index rules_of_organization on rules (organization_id, workspace_id)`,

  // Which rule was true of which e-mail: reading a message again counts and tells nothing anew.
  sql`create table rule_matches (
    workspace_id text not null,
    rule_id text not null,
    email_id text not null,
    notified_at timestamptz(3),
    matched_at timestamptz(3) not null default now(),
    primary key (workspace_id, email_id, rule_id),
    foreign key (workspace_id, rule_id) references rules (workspace_id, id) on delete cascade,
    foreign key (workspace_id, email_id) references emails (workspace_id, id) on delete cascade
  )`,
  sql`create index rule_matches_of_rule on rule_matches (workspace_id, rule_id)`,
]
