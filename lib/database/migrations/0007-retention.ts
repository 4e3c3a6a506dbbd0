import { type Kysely, sql } from 'kysely'
import { isolate, ofWorkspace } from './isolate.ts'

/** What finds data that is past its time, and requests to erase somebody's. */
export const retention = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await statement.execute(db)
    await isolate(db, 'data_erasures', { rows: ofWorkspace, privileges: 'select, insert, update, delete' })
  },
}

const statements = [
  // Those that are not deleted are found by emails_of_inbox.
  sql`create index emails_deleted on emails (workspace_id, inbox_id, deleted_at) where deleted_at is not null`,
  sql`create index operations_by_age on operations (finished_at) where finished_at is not null`,
  // By ranges of blocks: rows come in the order of their time, and no list of one tenant is tempted to use it.
  sql`create index audit_events_by_age on audit_events using brin (occurred_at)`,

  // The subject stands here only while there is something left to do. Nothing that could be turned back into it is
  // kept afterwards, a hash neither: there are so few CPFs that each of them can be tried.
  sql`create table data_erasures (
    id text not null,
    organization_id text not null,
    workspace_id text not null,
    subject_kind text not null check (subject_kind in ('address', 'document')),
    subject text,
    searched_to text not null default '',
    emails bigint not null default 0 check (emails >= 0),
    bytes bigint not null default 0 check (bytes >= 0),
    created_at timestamptz(3) not null default now(),
    finished_at timestamptz(3),
    primary key (workspace_id, id),
    foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade,
    check ((subject is null) = (finished_at is not null))
  )`,
  sql`create unique index data_erasures_once on data_erasures (workspace_id, subject) where subject is not null`,
  sql`create index data_erasures_by_age on data_erasures (finished_at) where finished_at is not null`,
  sql`create index data_erasures_of_organization on data_erasures (organization_id, workspace_id)`,
]
