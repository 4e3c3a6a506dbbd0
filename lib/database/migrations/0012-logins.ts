import { type Kysely, sql } from 'kysely'

/**
 * Counts how often a person's logins were ended. A session says how often that was when it began: deleting it is not
 * enough, since one that is in use at that moment is written again.
 */
export const logins = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table credentials add column logins_ended integer not null default 0`.execute(db)
    // The credentials first, as where a password is set: what is locked is locked in one order.
    await sql`create or replace function public.end_access(person text) returns void
      language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
      begin
        if current_setting('role') = 'kobana_app' and not exists (
          select from public.users
          where id = person and organization_id = current_setting('app.organization_id', true)
        ) then
          raise insufficient_privilege using message = 'the person must be of the tenant of the transaction';
        end if;
        update public.credentials set logins_ended = logins_ended + 1 where user_id = person;
        delete from public.oauth_grants where user_id = person;
        delete from public.oauth_records where user_id = person;
      end
      $$`.execute(db)
  },
}
