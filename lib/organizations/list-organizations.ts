import { sql } from 'kysely'
import type { Database } from '../database/database.ts'

export interface ListedOrganization {
  readonly id: string
  readonly name: string
  readonly created_at: string
  readonly people: number
  readonly workspaces: number
}

/** Every organization, the oldest first. As the owner: for whoever operates the installation, never for a route. */
export async function listOrganizations(database: Database): Promise<readonly ListedOrganization[]> {
  return database.asOwner(trx =>
    trx
      .selectFrom('organizations')
      .select([
        'id',
        'name',
        'created_at',
        sql<number>`(select count(*)::int from users where organization_id = organizations.id)`.as('people'),
        sql<number>`(select count(*)::int from workspaces where organization_id = organizations.id)`.as(
          'workspaces',
        ),
      ])
      .orderBy('created_at')
      .orderBy('id')
      .execute(),
  )
}
