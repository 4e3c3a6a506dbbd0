import { sql, type Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { EmailStatus, Tables } from '../database/tables.ts'
import { visibleEmails } from '../emails/visible-emails.ts'
import { problem } from '../problem/problem.ts'
import { daysAtMost, inboxesAtMost, type Stats, type StatsQuery } from './schema.ts'

const DAY = 86_400_000

/**
 * Counts the e-mails that a workspace received on some days, in one pass over them. Throws `validation_failed` for
 * days that are in the wrong order or too many.
 */
export async function getStats(trx: Transaction<Tables>, tenant: Tenant, query: StatsQuery): Promise<Stats> {
  const { from, to } = toRange(query)
  const emails = visibleEmails(trx, tenant)
    .where('emails.received_at', '>=', `${from}T00:00:00Z`)
    // Here and not in JavaScript, which writes the day after 9999-12-31 in a way that PostgreSQL does not read.
    .where('emails.received_at', '<', sql<string>`${`${to}T00:00:00Z`}::timestamptz + interval '24 hours'`)
    .select([
      'emails.status',
      'emails.read',
      'inboxes.id as inbox_id',
      'inboxes.address',
      'inboxes.name',
      sql<string>`(emails.received_at at time zone 'UTC')::date`.as('day'),
    ])
  const rows = await trx
    .selectFrom(emails.as('emails'))
    .select(['status', 'read', 'inbox_id', 'address', 'name', 'day'])
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .groupBy(sql`grouping sets ((status), (read), (inbox_id, address, name), (day))`)
    .execute()
  return toStats(rows, { from, to })
}

/** Of each row exactly one grouping is not null, although the columns' own types do not say so. */
interface Row {
  readonly status: EmailStatus | null
  readonly read: boolean | null
  readonly inbox_id: string | null
  readonly address: string | null
  readonly name: string | null
  readonly day: string | null
  readonly total: number
}

function toStats(rows: readonly Row[], { from, to }: { from: string; to: string }): Stats {
  const byStatus = { received: 0, processing: 0, processed: 0, failed: 0, rejected: 0 }
  const byDay = new Map<string, number>()
  const byInbox: Stats['by_inbox'] = []
  let unread = 0
  let total = 0
  for (const row of rows) {
    const { status, read, inbox_id, address, name, day } = row
    if (status !== null) byStatus[status] = row.total
    if (day !== null) byDay.set(day, row.total)
    if (read === false) unread = row.total
    if (read !== null) total += row.total
    if (inbox_id !== null && address !== null && name !== null)
      byInbox.push({ inbox_id, address, name, total: row.total })
  }
  byInbox.sort((a, b) => b.total - a.total || (a.inbox_id < b.inbox_id ? -1 : 1))
  return {
    from,
    to,
    total,
    unread,
    by_status: byStatus,
    by_inbox: byInbox.slice(0, inboxesAtMost),
    inboxes: byInbox.length,
    by_day: toDays(from, to).map(day => ({ day, total: byDay.get(day) ?? 0 })),
  }
}

function toRange(query: StatsQuery): { from: string; to: string } {
  const to = query.to ?? toDay(Date.now())
  const from = query.from ?? toDay(Date.parse(to) - 29 * DAY)
  if (from > to) throw refuse('from must not be later than to')
  if (Date.parse(to) - Date.parse(from) >= daysAtMost * DAY)
    throw refuse(`from must be at most ${daysAtMost - 1} days before to`)
  return { from, to }
}

function toDays(from: string, to: string): string[] {
  const count = (Date.parse(to) - Date.parse(from)) / DAY + 1
  return Array.from({ length: count }, (_, index) => toDay(Date.parse(from) + index * DAY))
}

function toDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

function refuse(message: string) {
  return problem('validation_failed', `${message}.`, {
    errors: [{ path: 'from', code: 'invalid_range', message }],
  })
}
