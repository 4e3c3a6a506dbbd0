import { type Kysely, sql } from 'kysely'

/**
 * Lets a tenant's transaction end what logins of its own people have led to. Of the tables themselves it sees nothing:
 * all it can do is call this, which runs as its owner and looks whose person it is.
 */
export const endAccess = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create function public.end_access(person text) returns void
      language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
      begin
        if current_setting('role') = 'kobana_app' and not exists (
          select from public.users
          where id = person and organization_id = current_setting('app.organization_id', true)
        ) then
          raise insufficient_privilege using message = 'the person must be of the tenant of the transaction';
        end if;
        delete from public.oauth_grants where user_id = person;
        delete from public.oauth_records where user_id = person;
      end
      $$`.execute(db)
    await sql`revoke all on function public.end_access(text) from public`.execute(db)
    await sql`grant execute on function public.end_access(text) to kobana_app`.execute(db)
  },
}
