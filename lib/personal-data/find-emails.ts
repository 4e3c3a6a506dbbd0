import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import type { Subject } from './subject.ts'
import { toSpellings } from './to-spellings.ts'

/** E-mails that an erasure deletes, or also those that were sent to the subject. */
export type Reach = 'sent' | 'held'

export interface Search {
  readonly subject: Subject
  readonly reach: Reach
  /** The id up to which everything is searched; empty at first. */
  readonly after: string
}

export interface Found {
  readonly ids: readonly string[]
  /** Where to go on; null when everything is searched. */
  readonly next: string | null
}

/** E-mails looked at in one statement: no index knows recipients, or senders of the envelope. */
const stretch = 2_000

/**
 * The next e-mails that concern a subject, in the order of ids, deleted ones included as long as they are held. An
 * address: from it (From, or the envelope's sender) and, with `held`, to it as well. A document: an extraction of
 * theirs holds it. There may be none in a stretch, and more to come.
 */
export async function findEmails(
  trx: Transaction<Tables>,
  { workspaceId }: Tenant,
  { subject, reach, after }: Search,
): Promise<Found> {
  if (subject.kind === 'document') {
    const { rows } = await sql<{ id: string }>`select distinct email_id as id
      from ${holding(workspaceId, subject.value)} and email_id > ${after}
      order by email_id limit ${stretch}`.execute(trx)
    const ids = rows.map(({ id }) => id)
    return { ids, next: ids.length === stretch ? (ids.at(-1) ?? null) : null }
  }
  const { rows } = await sql<{ last: string | null; looked: number; ids: string[] }>`
    with looked as materialized (
      select id, from_address, envelope_from, "to", cc from emails
      where workspace_id = ${workspaceId} and id > ${after} order by id limit ${stretch})
    select max(id) as last, count(*) as looked,
      coalesce(array_agg(id order by id) filter (where ${concerns(subject.value, reach)}), '{}') as ids
    from looked as e`.execute(trx)
  const [row] = rows
  return { ids: row?.ids ?? [], next: row && row.looked === stretch ? row.last : null }
}

/** How many e-mails an erasure would delete, and their size. */
export async function countSent(
  trx: Transaction<Tables>,
  { workspaceId }: Tenant,
  subject: Subject,
): Promise<{ emails: number; bytes: number }> {
  const theirs =
    subject.kind === 'address'
      ? concerns(subject.value, 'sent')
      : sql<boolean>`e.id in (select email_id from ${holding(workspaceId, subject.value)})`
  const { rows } = await sql<{ emails: number; bytes: number }>`
    select count(*) as emails, coalesce(sum(size_bytes), 0)::bigint as bytes from emails e
    where workspace_id = ${workspaceId} and ${theirs}`.execute(trx)
  return rows[0] ?? { emails: 0, bytes: 0 }
}

function concerns(address: string, reach: Reach): RawBuilder<boolean> {
  const theirs = sql`any(${toSpellings(address)}::text[])`
  const sent = sql`e.from_address = ${theirs} or lower(e.envelope_from) = ${theirs}`
  if (reach === 'sent') return sql<boolean>`(${sent})`
  return sql<boolean>`(${sent} or exists (
    select from jsonb_array_elements(e."to" || e.cc) as mailbox where lower(mailbox ->> 'address') = ${theirs}))`
}

/** By the digest, which the index has. */
function holding(workspaceId: string, document: string) {
  return sql`extractions where workspace_id = ${workspaceId} and value_hash = md5(${document})
    and value = ${document} and kind in ('cpf', 'cnpj')`
}
