import type { Database, Tenant } from '../../../lib/database/database.ts'
import type { OperationStatus } from '../../../lib/database/tables.ts'
import { createId } from '../../../lib/id/id.ts'

/** An operation on an e-mail, finished unless told otherwise; returns its id. */
export async function storeOperation(
  database: Database,
  tenant: Tenant,
  operation: { emailId: string; createdBy: string; status?: OperationStatus; error?: string },
): Promise<string> {
  const id = createId('opr')
  await database.inTenant(tenant, trx =>
    trx
      .insertInto('operations')
      .values({
        id,
        organization_id: tenant.organizationId,
        workspace_id: tenant.workspaceId,
        kind: 'email.process',
        status: operation.status ?? 'succeeded',
        email_id: operation.emailId,
        resource_type: 'email',
        resource_id: operation.emailId,
        error_code: operation.error ?? null,
        created_by: operation.createdBy,
      })
      .execute(),
  )
  return id
}
