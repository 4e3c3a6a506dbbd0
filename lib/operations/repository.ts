import { type Selectable, sql, type Transaction } from 'kysely'
import { z } from 'zod'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { timestampInput } from '../fields/timestamp.ts'
import { createId } from '../id/id.ts'
import { parseCursor } from '../paging/cursor.ts'
import { type Page, toPage } from '../paging/page.ts'
import { problem } from '../problem/problem.ts'
import { type Operation, type OperationsQuery, operationId } from './schema.ts'

/** One page of the workspace's operations, newest first. Throws `validation_failed` for another list's cursor. */
export async function listOperations(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { limit, cursor, ...filters }: OperationsQuery,
): Promise<Page<Operation>> {
  const listing = { operation: 'operations_list', owner: tenant.workspaceId, filters }
  let query = operationsOf(trx, tenant)
  if (filters.status) query = query.where('status', '=', filters.status)
  if (filters.email_id) query = query.where('email_id', '=', filters.email_id)
  if (cursor !== undefined) {
    const [createdAt, id] = parseCursor(listing, cursor, position)
    query = query.where(sql<boolean>`(created_at, id) < (${createdAt}::timestamptz, ${id})`)
  }
  const rows = await query
    .select(operationColumns)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows.map(toOperation), { limit, listing, position: row => [row.created_at, row.id] })
}

/** One operation. Throws `not_found`. */
export async function getOperation(trx: Transaction<Tables>, tenant: Tenant, id: string): Promise<Operation> {
  if (!operationId.safeParse(id).success) throw operationNotFound()
  const row = await operationsOf(trx, tenant).where('id', '=', id).select(operationColumns).executeTakeFirst()
  if (!row) throw operationNotFound()
  return toOperation(row)
}

/** The operation that is queued or running on an e-mail, if there is one. */
export async function findUnfinishedOperation(
  trx: Transaction<Tables>,
  tenant: Tenant,
  emailId: string,
): Promise<Operation | undefined> {
  const row = await operationsOf(trx, tenant)
    .where('email_id', '=', emailId)
    .where('status', 'in', ['queued', 'running'])
    .select(operationColumns)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return row && toOperation(row)
}

/** The operation of a kind that is queued or running on a record other than an e-mail, if there is one. */
export async function findUnfinishedOn(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { kind, resource }: { kind: string; resource: Resource },
): Promise<Operation | undefined> {
  const row = await operationsOf(trx, tenant)
    .where('kind', '=', kind)
    .where('resource_type', '=', resource.type)
    .where('resource_id', '=', resource.id)
    .where('status', 'in', ['queued', 'running'])
    .select(operationColumns)
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return row && toOperation(row)
}

/** What an operation works on, such as a delivery and its id. */
export interface Resource {
  readonly type: string
  readonly id: string
}

/** An operation on an e-mail, or on another record. */
export type NewOperation = { readonly kind: string; readonly createdBy: string | null } & (
  | { readonly emailId: string }
  | { readonly resource: Resource }
)

/** A new operation, queued. Enqueue its job in the same transaction, or it stays so. */
export async function createOperation(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { kind, createdBy, ...about }: NewOperation,
): Promise<Operation> {
  const emailId = 'emailId' in about ? about.emailId : null
  const resource = 'emailId' in about ? { type: 'email', id: about.emailId } : about.resource
  const row = await trx
    .insertInto('operations')
    .values({
      id: createId('opr'),
      organization_id: tenant.organizationId,
      workspace_id: tenant.workspaceId,
      kind,
      email_id: emailId,
      resource_type: resource.type,
      resource_id: resource.id,
      created_by: createdBy,
    })
    .returning(operationColumns)
    .executeTakeFirstOrThrow()
  return toOperation(row)
}

const position = z.tuple([timestampInput, operationId])

const operationColumns = [
  'id',
  'kind',
  'status',
  'resource_type',
  'resource_id',
  'error_code',
  'error_detail',
  'created_by',
  'created_at',
  'started_at',
  'finished_at',
] as const

type OperationRow = Pick<Selectable<Tables['operations']>, (typeof operationColumns)[number]>

function operationsOf(trx: Transaction<Tables>, tenant: Tenant) {
  return trx.selectFrom('operations').where('workspace_id', '=', tenant.workspaceId)
}

/** Member by member, as `toEmail`, and for the same reason. */
function toOperation(row: OperationRow): Operation {
  const { resource_type, resource_id, error_code } = row
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    resource: resource_type && resource_id ? { type: resource_type, id: resource_id } : null,
    error: error_code === null ? null : { code: error_code, detail: row.error_detail },
    created_by: row.created_by,
    created_at: row.created_at,
    started_at: row.started_at,
    finished_at: row.finished_at,
  }
}

/** One answer for ids that never existed, that are malformed or another tenant's: it tells nothing. */
function operationNotFound() {
  return problem('not_found', 'There is no such operation in this workspace.')
}
