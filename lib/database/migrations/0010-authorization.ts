import { type Kysely, sql } from 'kysely'

/**
 * What the built-in authorization server keeps. Only the owner reaches it: row-level security is on without a policy,
 * and the application's role has no privilege, since nothing here is for anybody to query, not even one's own.
 */
export const authorization = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await statement.execute(db)
    for (const table of ['oauth_keys', 'oauth_clients', 'oauth_grants', 'oauth_records']) {
      await sql`alter table ${sql.table(table)} enable row level security`.execute(db)
    }
  },
}

const statements = [
  sql`create table oauth_keys (
    id text primary key,
    sealed text not null,
    created_at timestamptz(3) not null default now(),
    active_from timestamptz(3) not null
  )`,

  sql`create table oauth_clients (
    id text primary key,
    data jsonb not null,
    secret text,
    created_at timestamptz(3) not null default now(),
    last_used_at timestamptz(3)
  )`,
  sql`create index oauth_clients_unused on oauth_clients (created_at) where last_used_at is null`,
  sql`create index oauth_clients_by_use on oauth_clients (last_used_at)`,

  // No reference to clients: those with a metadata document of their own are in no table. None to workspaces either:
  // a default that is gone is refused where it is used.
  sql`create table oauth_grants (
    id text primary key,
    user_id text not null references users on delete cascade,
    client_id text not null,
    workspace_id text,
    data jsonb not null,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null
  )`,
  sql`create index oauth_grants_of_user on oauth_grants (user_id)`,
  sql`create index oauth_grants_by_expiry on oauth_grants (expires_at)`,

  // No reference to grants: one that is revoked while a token is being written must make that token useless, which
  // every use of it checks, and not the answer an error.
  sql`create table oauth_records (
    model text not null,
    id_hash text not null check (id_hash ~ '^[0-9a-f]{64}$'),
    user_id text references users on delete cascade,
    grant_id text,
    session_uid text,
    data jsonb not null,
    consumed_at timestamptz(3),
    expires_at timestamptz(3) not null,
    primary key (model, id_hash)
  )`,
  sql`create index oauth_records_of_grant on oauth_records (grant_id) where grant_id is not null`,
  sql`create index oauth_records_of_user on oauth_records (user_id) where user_id is not null`,
  sql`create unique index oauth_records_by_session on oauth_records (session_uid) where session_uid is not null`,
  sql`create index oauth_records_by_expiry on oauth_records (expires_at)`,
]
