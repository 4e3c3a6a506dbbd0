import type { Adapter, AdapterFactory } from 'oidc-provider'
import type { Database } from '../database/database.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { createClientsAdapter } from './clients-adapter.ts'
import { createGrantsAdapter } from './grants-adapter.ts'
import { createRecordsAdapter } from './records-adapter.ts'

export interface AdapterServices {
  readonly database: Database
  readonly secretBox: SecretBox
  /** Called when a consent ends. */
  readonly onEnd: (grantId: string) => void
}

/** What the library keeps, in the tables of migration 0010. */
export function createAdapter({ database, secretBox, onEnd }: AdapterServices): AdapterFactory {
  return (model): Adapter => {
    if (model === 'Client') return createClientsAdapter(database, secretBox)
    if (model === 'Grant') return createGrantsAdapter(database, onEnd)
    return createRecordsAdapter(model, database, onEnd)
  }
}
