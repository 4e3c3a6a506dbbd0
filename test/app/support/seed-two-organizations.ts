import type { Database, Tenant } from '../../../lib/database/database.ts'
import type { Role } from '../../../lib/database/tables.ts'
import { createId } from '../../../lib/id/id.ts'

/** What `seedTwoOrganizations` inserted. */
export interface TwoOrganizations {
  readonly acme: { readonly id: string }
  readonly globex: { readonly id: string }
  /** Billing and Support are Acme's, Main is Globex's. */
  readonly billing: Tenant
  readonly support: Tenant
  readonly main: Tenant
  /** User ids. Ana: admin of both of Acme's. */
  readonly ana: string
  /** Admin of Billing. */
  readonly bia: string
  /** Operator of Billing. */
  readonly bruno: string
  /** Viewer of both of Acme's. */
  readonly vera: string
  /** Admin of Main. */
  readonly leo: string
}

/** Two organizations with people of every role, and no inbox. */
export async function seedTwoOrganizations(database: Database): Promise<TwoOrganizations> {
  const acme = { id: createId('org') }
  const globex = { id: createId('org') }
  const billing = { organizationId: acme.id, workspaceId: createId('wsp') }
  const support = { organizationId: acme.id, workspaceId: createId('wsp') }
  const main = { organizationId: globex.id, workspaceId: createId('wsp') }
  const [ana, bia, bruno, vera, leo] = [user(), user(), user(), user(), user()]
  const people = [
    { id: ana, organization_id: acme.id, email: 'ana@acme.test', name: 'Ana' },
    { id: bia, organization_id: acme.id, email: 'bia@acme.test', name: 'Bia' },
    { id: bruno, organization_id: acme.id, email: 'bruno@acme.test', name: 'Bruno' },
    { id: vera, organization_id: acme.id, email: 'vera@acme.test', name: 'Vera' },
    { id: leo, organization_id: globex.id, email: 'leo@globex.test', name: 'Leo' },
  ]
  const memberships = [
    membership(ana, billing, 'admin'),
    membership(ana, support, 'admin'),
    membership(bia, billing, 'admin'),
    membership(bruno, billing, 'operator'),
    membership(vera, billing, 'viewer'),
    membership(vera, support, 'viewer'),
    membership(leo, main, 'admin'),
  ]
  // As the owner: there is nobody yet who could do it.
  await database.asOwner(async trx => {
    await trx
      .insertInto('organizations')
      .values([
        { ...acme, name: 'Acme' },
        { ...globex, name: 'Globex' },
      ])
      .execute()
    await trx.insertInto('users').values(people).execute()
    await trx
      .insertInto('workspaces')
      .values([workspace(billing, 'Billing'), workspace(support, 'Support'), workspace(main, 'Main')])
      .execute()
    await trx.insertInto('memberships').values(memberships).execute()
  })
  return { acme, globex, billing, support, main, ana, bia, bruno, vera, leo }
}

function user(): string {
  return createId('usr')
}

function workspace(tenant: Tenant, name: string) {
  return { id: tenant.workspaceId, organization_id: tenant.organizationId, name }
}

function membership(userId: string, tenant: Tenant, role: Role) {
  return { user_id: userId, workspace_id: tenant.workspaceId, organization_id: tenant.organizationId, role }
}
