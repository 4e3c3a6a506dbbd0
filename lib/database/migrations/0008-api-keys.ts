import { type Kysely, sql } from 'kysely'
import { isolate, ofWorkspace } from './isolate.ts'

/** What developers' programs authenticate with over REST, each for one person in one workspace. */
export const apiKeys = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await statement.execute(db)
    await isolate(db, 'api_keys', { rows: ofWorkspace, privileges: 'select, insert, update, delete' })
  },
}

const statements = [
  // The key itself is nowhere: what stands here opens nothing.
  sql`create table api_keys (
    id text not null,
    organization_id text not null,
    workspace_id text not null,
    user_id text not null,
    name text not null,
    hash text not null unique check (hash ~ '^[0-9a-f]{64}$'),
    hint text not null,
    scopes text[] not null,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null,
    last_used_at timestamptz(3),
    revoked_at timestamptz(3),
    primary key (workspace_id, id),
    foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade,
    foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
  )`,
  sql`create index api_keys_newest on api_keys (workspace_id, id desc) where revoked_at is null`,
  sql`create index api_keys_of_user on api_keys (organization_id, user_id)`,
  sql`create index api_keys_of_organization on api_keys (organization_id, workspace_id)`,
]
