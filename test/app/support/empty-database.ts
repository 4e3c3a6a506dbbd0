/** Runs statements that take no parameters, and gives the outcome of each. */
export type RunStatements = (
  text: string,
) => Promise<readonly { readonly rows: readonly unknown[]; readonly affectedRows?: number | undefined }[]>

/** What a database was like when it was a fresh copy of the template. */
export interface Pristine {
  /** Quoted, with their schemas. */
  readonly tables: readonly string[]
  /** Those of them that have rows: what the migrator notes. */
  readonly kept: readonly string[]
  readonly traces: string
}

/** More rows than these leave files behind that slow down the next test. */
const mostRows = 5_000

/** A change of any object of the database, of a right or of a setting leaves a row of another transaction here. */
const catalogs = [
  'pg_attrdef',
  'pg_attribute',
  'pg_auth_members',
  'pg_authid',
  'pg_cast',
  'pg_class',
  'pg_constraint',
  'pg_database',
  'pg_db_role_setting',
  'pg_default_acl',
  'pg_event_trigger',
  'pg_extension',
  'pg_index',
  'pg_inherits',
  'pg_largeobject_metadata',
  'pg_namespace',
  'pg_operator',
  'pg_policy',
  'pg_proc',
  'pg_publication',
  'pg_rewrite',
  'pg_sequence',
  // What `analyze` found out: it changes plans.
  'pg_statistic',
  'pg_statistic_ext',
  'pg_trigger',
  'pg_ts_config',
  'pg_type',
]

/** Looks at a fresh copy, before anybody uses it. */
export async function readPristine(run: RunStatements): Promise<Pristine> {
  const [listed] = await run(`select format('%I.%I', nspname, relname) as name
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relkind = 'r' and nspname not like 'pg\\_%' and nspname <> 'information_schema' order by 1`)
  const tables = (listed?.rows ?? []).map(row => (row as { name: string }).name)
  const [filled] = await run(tables.map(toFilled).join(' union all '))
  const kept = (filled?.rows ?? []).map(row => (row as { name: string }).name)
  return { tables, kept, traces: await readTraces(run, kept) }
}

/**
 * Empties a database that nobody is connected to any more. False if it is not as it was: when a test has changed
 * anything but rows, or so many of them that it shows.
 */
export async function emptyDatabase(
  run: RunStatements,
  { tables, kept, traces }: Pristine,
): Promise<boolean> {
  try {
    await run('discard all')
    await run('drop schema if exists pgboss cascade')
    if ((await readTraces(run, kept)) !== traces) return false
    const emptied = tables.filter(table => !kept.includes(table))
    // Without triggers, of foreign keys or any other, there is no order to keep to.
    const outcomes = await run(
      [
        'set session_replication_role = replica',
        ...emptied.map(table => `delete from ${table}`),
        'reset all',
      ].join(';'),
    )
    const rows = outcomes.reduce((sum, { affectedRows = 0 }) => sum + affectedRows, 0)
    return rows <= mostRows
  } catch {
    // A transaction that is still open, for one.
    return false
  }
}

async function readTraces(run: RunStatements, kept: readonly string[]): Promise<string> {
  const [found] = await run(
    [
      ...[...catalogs.map(name => `pg_catalog.${name}`), ...kept].map(toTrace),
      "select 'sizes', sum(relpages), sum(reltuples)::bigint from pg_class",
      "select 'settings', count(*), sum(hashtext(name || setting)) from pg_settings",
      "select 'sequences', count(last_value), sum(last_value) from pg_sequences",
    ].join(' union all '),
  )
  return JSON.stringify(found?.rows, (_name, value) => (typeof value === 'bigint' ? String(value) : value))
}

function toTrace(table: string): string {
  return `select '${table}' as name, count(*) as count, sum(xmin::text::bigint) as made from ${table}`
}

function toFilled(table: string): string {
  return `select '${table.replaceAll("'", "''")}' as name where exists (select from ${table})`
}
