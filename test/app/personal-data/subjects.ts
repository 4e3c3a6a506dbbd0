import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Database, Tenant } from '../../../lib/database/database.ts'
import { createId } from '../../../lib/id/id.ts'
import { bearer, type TokenOptions } from '../plumbing/start-app.ts'
import { storeEmail } from '../resources/store-email.ts'
import { storeAttachment, storeExtraction } from '../resources/store-extraction.ts'

export const carla = 'carla@supplier.test'
export const cpf = '52998224725'

const line = z.object({ type: z.string(), data: z.looseObject({}) })
export type Line = z.infer<typeof line>

export interface StoredMail {
  readonly fromHer: string
  readonly toHer: string
  readonly byEnvelope: string
  /** From her, and deleted. */
  readonly deleted: string
  readonly withCpf: string
  readonly unrelated: string
}

/** E-mails that concern Carla in each way, one that a CPF was found in, and one that has nothing to do with either. */
export async function storeMail(database: Database, tenant: Tenant, inboxId: string): Promise<StoredMail> {
  const store = (raw: string, from?: string) =>
    storeEmail(database, tenant, { inboxId, raw, text: `text of ${raw}`, ...(from && { from }) })
  const ids = {
    fromHer: await store('from her', carla),
    toHer: await store('to her', 'bia@acme.test'),
    byEnvelope: await store('by envelope'),
    deleted: await store('deleted', carla),
    withCpf: await store('with cpf', 'rui@other.test'),
    unrelated: await store('unrelated', `not-${carla}`),
  }
  await database.inTenant(tenant, async trx => {
    const change = (id: string) =>
      trx.updateTable('emails').where('workspace_id', '=', tenant.workspaceId).where('id', '=', id)
    await change(ids.toHer)
      .set({ cc: JSON.stringify([{ address: 'Carla@Supplier.TEST', name: null }]) })
      .execute()
    await change(ids.byEnvelope).set({ envelope_from: 'CARLA@supplier.test' }).execute()
    await change(ids.deleted).set({ deleted_at: new Date().toISOString() }).execute()
    await trx
      .insertInto('events')
      .values({
        id: createId('evt'),
        organization_id: tenant.organizationId,
        workspace_id: tenant.workspaceId,
        type: 'email.processed',
        key: ids.fromHer,
        email_id: ids.fromHer,
        data: JSON.stringify({ email_id: ids.fromHer }),
      })
      .execute()
  })
  const content = Buffer.from('her file')
  await storeAttachment(database, tenant, { emailId: ids.fromHer, content })
  const found = { emailId: ids.withCpf, inboxId }
  await storeExtraction(database, tenant, { ...found, kind: 'cpf', value: cpf })
  // The same digits of another kind are not that person.
  const digits = { emailId: ids.unrelated, inboxId, kind: 'one_time_code' as const, value: cpf }
  await storeExtraction(database, tenant, digits)
  return ids
}

/** What an export answers: its lines, or the status of the refusal. */
export async function readExport(
  app: FastifyInstance,
  userId: string,
  { body, workspaceId, ...token }: TokenOptions & { body: object; workspaceId?: string },
): Promise<{ status: number; headers: object; lines: Line[]; text: string }> {
  const named = workspaceId === undefined ? {} : { 'x-workspace-id': workspaceId }
  const response = await app.inject({
    method: 'POST',
    url: '/api/v1/data-exports',
    headers: { ...bearer(userId, token), ...named },
    payload: body,
  })
  const { statusCode: status, headers, body: text } = response
  const rows = status === 200 ? text.split('\n').slice(0, -1) : []
  return { status, headers, text, lines: rows.map(row => line.parse(JSON.parse(row))) }
}
