import { listAuditEvents } from '../audit/list-audit-events.ts'
import type { Database, Tenant } from '../database/database.ts'
import { type Found, findEmails } from './find-emails.ts'
import type { ExportLine, PreparedExport } from './prepare-export.ts'
import { readEmailLines } from './read-email-lines.ts'
import { type Piecewise, readPiece } from './read-pieces.ts'

/**
 * An export as lines of JSON, the last of which is `end` with how many came before it: without it, the export is not
 * whole. No more than a piece of one e-mail is in memory, and no transaction is open while the receiver is waited
 * for: on the embedded engine, nobody else would have one.
 */
export async function* writeExport(
  database: Database,
  tenant: Tenant,
  prepared: PreparedExport,
): AsyncGenerator<string> {
  let lines = 0
  let emails = 0
  for await (const line of readLines(database, tenant, prepared)) {
    lines += 1
    if (line.type === 'email') emails += 1
    yield `${JSON.stringify(line)}\n`
  }
  yield `${JSON.stringify({ type: 'end', data: { lines, emails } })}\n`
}

async function* readLines(
  database: Database,
  tenant: Tenant,
  { subject, userId, lines }: PreparedExport,
): AsyncGenerator<ExportLine> {
  yield* lines
  let after: string | null = ''
  while (after !== null) {
    const search = { subject, reach: 'held' as const, after }
    const found: Found = await database.inTenant(tenant, trx => findEmails(trx, tenant, search))
    for (const id of found.ids) yield* readEmail(database, tenant, id)
    after = found.next
  }
  if (userId !== null) yield* readAuditEvents(database, tenant, userId)
}

async function* readEmail(database: Database, tenant: Tenant, emailId: string): AsyncGenerator<ExportLine> {
  const lines = await database.inTenant(tenant, trx => readEmailLines(trx, tenant, emailId))
  yield* lines
  if (lines.length === 0) return
  for (const kind of ['email_text', 'email_html'] as const) {
    yield* readPieces(database, tenant, { kind, emailId })
  }
  for (const { type, data } of lines) {
    if (type !== 'attachment' || !('id' in data)) continue
    const attachmentId = String(data.id)
    yield* readPieces(database, tenant, { kind: 'attachment_content', emailId, attachmentId })
  }
  yield* readPieces(database, tenant, { kind: 'email_raw', emailId })
}

async function* readPieces(database: Database, tenant: Tenant, what: Piecewise): AsyncGenerator<ExportLine> {
  let offset: number | null = 0
  while (offset !== null) {
    const from: number = offset
    const read = await database.inTenant(tenant, trx => readPiece(trx, tenant, { what, offset: from }))
    if (read) yield read.line
    offset = read?.next ?? null
  }
}

/** What the person did in the workspace, and to the organization, newest first. */
async function* readAuditEvents(
  database: Database,
  tenant: Tenant,
  userId: string,
): AsyncGenerator<ExportLine> {
  let cursor: string | undefined
  do {
    const query = { actor_id: userId, limit: 100, ...(cursor !== undefined && { cursor }) }
    const page = await database.inTenant(tenant, trx => listAuditEvents(trx, tenant, query))
    for (const event of page.data) yield { type: 'audit_event', data: event }
    cursor = page.meta.next_cursor ?? undefined
  } while (cursor !== undefined)
}
