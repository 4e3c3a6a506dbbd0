import { type Kysely, sql } from 'kysely'
import { isolate, ofOrganization } from './isolate.ts'

/** Organizations, their people and workspaces, and who has which role where. */
export const organizations = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await statement.execute(db)
    const own = sql`id = current_setting('app.organization_id', true)`
    await isolate(db, 'organizations', { rows: own, privileges: 'select' })
    await isolate(db, 'users', { rows: ofOrganization, privileges: 'select, insert, update' })
    await isolate(db, 'workspaces', { rows: ofOrganization, privileges: 'select, insert, update' })
    await isolate(db, 'memberships', { rows: ofOrganization, privileges: 'select, insert, update, delete' })
  },
}

const statements = [
  sql`create table organizations (
    id text primary key,
    name text not null,
    created_at timestamptz(3) not null default now()
  )`,

  // An e-mail address is a person's whole sign-in, so that it is unique among all organizations.
  sql`create table users (
    id text primary key,
    organization_id text not null references organizations on delete cascade,
    email text not null unique check (email = lower(email)),
    name text not null,
    disabled_at timestamptz(3),
    created_at timestamptz(3) not null default now(),
    unique (organization_id, id)
  )`,

  sql`create table workspaces (
    id text primary key,
    organization_id text not null references organizations on delete cascade,
    name text not null,
    version integer not null default 1 check (version > 0),
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    unique (organization_id, id)
  )`,

  // The pairs keep a person of one organization out of the workspaces of another.
  sql`create table memberships (
    user_id text not null,
    workspace_id text not null,
    organization_id text not null,
    role text not null check (role in ('admin', 'operator', 'viewer')),
    primary key (user_id, workspace_id),
    foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade,
    foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade
  )`,
  sql`create index memberships_of_workspace on memberships (organization_id, workspace_id)`,
  sql`create index memberships_of_user on memberships (organization_id, user_id)`,
]
