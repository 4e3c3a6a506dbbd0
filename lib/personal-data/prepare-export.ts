import { sql, type Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { namesAddress } from './names-address.ts'
import type { Subject } from './subject.ts'
import { toSpellings } from './to-spellings.ts'

/** A line of an export: what it is, and the record. */
export interface ExportLine {
  readonly type: string
  readonly data: object
}

export interface PreparedExport {
  readonly subject: Subject
  /** Of the person whose address it is, if there is one in the organization. */
  readonly userId: string | null
  /** What is held beside e-mails: membership, allowed senders, rules. */
  readonly lines: readonly ExportLine[]
}

/** The beginning of an export. Of a person who is in other workspaces only, no more than their own events is told. */
export async function prepareExport(
  trx: Transaction<Tables>,
  tenant: Tenant,
  subject: Subject,
): Promise<PreparedExport> {
  const { rows } = await sql<{ now: string }>`select now()`.execute(trx)
  const { workspaceId: workspace_id } = tenant
  const about = { format: 1, subject: { [subject.kind]: subject.value }, workspace_id }
  const head = { type: 'export', data: { ...about, created_at: rows[0]?.now ?? null } }
  if (subject.kind === 'document') return { subject, userId: null, lines: [head] }
  const user = await findUser(trx, tenant, subject.value)
  const member = user?.role ? [{ type: 'member', data: user }] : []
  const mentions = await findMentions(trx, tenant, subject.value)
  return { subject, userId: user?.id ?? null, lines: [head, ...member, ...mentions] }
}

async function findUser(
  trx: Transaction<Tables>,
  { organizationId, workspaceId }: Tenant,
  address: string,
): Promise<{ id: string; email: string; name: string; role: string | null } | undefined> {
  return trx
    .selectFrom('users')
    .leftJoin('memberships', join =>
      join.onRef('memberships.user_id', '=', 'users.id').on('memberships.workspace_id', '=', workspaceId),
    )
    .where('users.organization_id', '=', organizationId)
    .where('users.email', 'in', toSpellings(address))
    .select(['users.id', 'users.email', 'users.name', 'memberships.role'])
    .executeTakeFirst()
}

/** Settings that name the address. */
async function findMentions(
  trx: Transaction<Tables>,
  { workspaceId }: Tenant,
  address: string,
): Promise<ExportLine[]> {
  const spellings = toSpellings(address)
  const senders = await trx
    .selectFrom('allowed_senders')
    .where('workspace_id', '=', workspaceId)
    .where('pattern', 'in', spellings)
    .select(['inbox_id', 'pattern', 'created_at'])
    .execute()
  const rules = await trx
    .selectFrom('rules')
    .where('workspace_id', '=', workspaceId)
    .select(['id', 'key', 'name', 'conditions', 'created_at'])
    .execute()
  const naming = rules.filter(({ conditions }) =>
    conditions.some(({ value }) => namesAddress(value, spellings)),
  )
  return [
    ...senders.map(data => ({ type: 'allowed_sender', data })),
    ...naming.map(data => ({ type: 'rule', data })),
  ]
}
