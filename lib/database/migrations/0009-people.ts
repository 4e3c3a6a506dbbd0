import { type Kysely, sql } from 'kysely'
import { isolate, ofOrganization } from './isolate.ts'

/** What people log in with, and the links by which they choose a password. */
export const people = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await statement.execute(db)
    // No request of a tenant has to do with a hash: it is read and written as the owner, where people log in.
    const privileges = 'select (user_id, organization_id, changed_at)'
    await isolate(db, 'credentials', { rows: ofOrganization, privileges })
    await isolate(db, 'account_links', {
      rows: ofOrganization,
      privileges: 'select, insert, update, delete',
    })
  },
}

const statements = [
  sql`create table credentials (
    user_id text primary key,
    organization_id text not null,
    hash text not null,
    changed_at timestamptz(3) not null default now(),
    foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
  )`,
  sql`create index credentials_of_organization on credentials (organization_id, user_id)`,

  // The token is nowhere: what stands here opens nothing. What is used is deleted, and so is what a newer one replaces.
  sql`create table account_links (
    hash text primary key check (hash ~ '^[0-9a-f]{64}$'),
    organization_id text not null,
    user_id text not null,
    purpose text not null check (purpose in ('invitation', 'reset')),
    created_by text,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null,
    foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade,
    foreign key (created_by) references users (id) on delete set null
  )`,
  sql`create index account_links_of_user on account_links (organization_id, user_id)`,
  sql`create index account_links_by_creator on account_links (created_by)`,
]
