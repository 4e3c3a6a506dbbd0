import type { Pool } from 'pg'
import type { PgBoss, QueueOptions } from 'pg-boss'
import { jobNames, queueRetries, toDeadQueue } from './queues.ts'

const deadLetterDays = 30

/**
 * Makes the queues, or brings their settings up to date, and the function by which a tenant's transaction
 * adds a job. Safe to run in several processes at once.
 */
export async function installQueues(
  boss: PgBoss,
  { pool, settings }: { pool: Pool; settings: QueueOptions },
): Promise<void> {
  for (const name of jobNames) {
    const dead = toDeadQueue(name)
    // Reading a dead letter is a plain update; it is tried again for as long as the database is away.
    const retention = deadLetterDays * 86_400
    const deadSettings = { retryLimit: 100, retryDelay: 30, deleteAfterSeconds: retention }
    await install(boss, dead, { ...deadSettings, retentionSeconds: retention })
    await install(boss, name, { ...settings, ...queueRetries[name], deadLetter: dead })
  }
  await installEnqueue(pool)
}

async function install(
  boss: PgBoss,
  name: string,
  settings: QueueOptions & { deadLetter?: string },
): Promise<void> {
  await boss.createQueue(name, settings)
  await boss.updateQueue(name, settings)
}

async function installEnqueue(pool: Pool): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    // Two processes that replace a function at the same time fail with "tuple concurrently updated".
    await client.query(`select pg_advisory_xact_lock(hashtext('kobana.install-queues'))`)
    // Its form of an earlier version would make calls ambiguous.
    await client.query('drop function if exists public.enqueue_job(text, jsonb)')
    await client.query(enqueueFunction)
    await client.query('revoke all on function enqueue_job(text, jsonb, float8) from public')
    await client.query('grant execute on function enqueue_job(text, jsonb, float8) to kobana_app')
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

const queueNames = jobNames.map(name => `'${name}'`).join(', ')

/**
 * The tenant's role has no right on anything of pg-boss: it can neither read nor change a job, its own or
 * another's. All it can do is call this, which runs as its owner, inserts one row into a queue of ours with the
 * queue's settings, and in a tenant's transaction takes only what names that very tenant. Grants on the table
 * would not do: pg-boss has one for all, without a tenant in it.
 */
const enqueueFunction = `
  create or replace function public.enqueue_job(queue_name text, payload jsonb, start_in float8 default 0)
  returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
  declare
    organization constant text := nullif(current_setting('app.organization_id', true), '');
    workspace constant text := nullif(current_setting('app.workspace_id', true), '');
  begin
    if current_setting('role') = 'kobana_app' and (
      workspace is null or
      payload ->> 'organizationId' is distinct from organization or
      payload ->> 'workspaceId' is distinct from workspace
    ) then
      raise insufficient_privilege using message = 'a job must be for the tenant of its transaction';
    end if;

    insert into pgboss.job (
      name, data, policy, dead_letter, retry_limit, retry_delay, retry_backoff, retry_delay_max,
      expire_seconds, deletion_seconds, heartbeat_seconds, group_id, start_after, keep_until
    )
    select
      name, payload, policy, dead_letter, retry_limit, retry_delay, retry_backoff, retry_delay_max,
      expire_seconds, deletion_seconds, heartbeat_seconds, payload ->> 'workspaceId', now() + start_in * interval '1 second',
      now() + (start_in + retention_seconds) * interval '1 second'
    from pgboss.queue
    where name = queue_name and name in (${queueNames});

    if not found then
      raise undefined_object using message = format('there is no queue %s', queue_name);
    end if;
  end
  $$`
