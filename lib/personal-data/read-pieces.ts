import { sql, type Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import type { ExportLine } from './prepare-export.ts'

/** A text or bytes of an e-mail, which may be many megabytes and so come in pieces, one a line. */
export type Piecewise =
  | { readonly kind: 'email_text' | 'email_html' | 'email_raw'; readonly emailId: string }
  | {
      readonly kind: 'attachment_content'
      readonly emailId: string
      readonly attachmentId: string
    }

/** Bytes, a multiple of three, so that the pieces' base64 can be joined; and characters. */
const pieceBytes = 786_432
const pieceCharacters = 262_144

/** The piece from `offset` on (bytes, or characters of a text), and where the next one begins; null for no more. */
export async function readPiece(
  trx: Transaction<Tables>,
  { workspaceId }: Tenant,
  { what, offset }: { what: Piecewise; offset: number },
): Promise<{ line: ExportLine; next: number | null } | null> {
  const isText = what.kind === 'email_text' || what.kind === 'email_html'
  const size = isText ? pieceCharacters : pieceBytes
  const { rows } = await sql<{ piece: string | null; size: number | null }>`
    select piece, size from (${piecesOf(what, workspaceId, { offset, size })}) as pieces`.execute(trx)
  const [row] = rows
  if (!row?.piece) return null
  const place =
    what.kind === 'attachment_content' ? { attachment_id: what.attachmentId } : { email_id: what.emailId }
  const content = isText ? { text: row.piece } : { base64: row.piece.replaceAll('\n', '') }
  const end = offset + size
  return {
    line: { type: what.kind, data: { ...place, offset, ...content } },
    next: end < (row.size ?? 0) ? end : null,
  }
}

function piecesOf(what: Piecewise, workspaceId: string, { offset, size }: { offset: number; size: number }) {
  const bytes = (column: string) =>
    sql`encode(substring(${sql.ref(column)} from ${offset + 1}::int for ${size}::int), 'base64') as piece,
      octet_length(${sql.ref(column)}) as size`
  const characters = (column: string) =>
    sql`substr(${sql.ref(column)}, ${offset + 1}::int, ${size}::int) as piece, char_length(${sql.ref(column)}) as size`
  const ofEmail = sql`workspace_id = ${workspaceId} and email_id = ${what.emailId}`
  switch (what.kind) {
    case 'email_raw':
      return sql`select ${bytes('raw')} from email_sources where ${ofEmail}`
    case 'email_text':
      return sql`select ${characters('text')} from email_texts where ${ofEmail}`
    case 'email_html':
      return sql`select ${characters('html')} from email_texts where ${ofEmail}`
    case 'attachment_content':
      return sql`select ${bytes('content')} from attachment_contents
        where workspace_id = ${workspaceId} and attachment_id = ${what.attachmentId}`
  }
}
