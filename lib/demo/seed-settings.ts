import type { Transaction } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { createSecret, toSecretContext } from '../webhooks/secret.ts'
import { takeSteps } from './demo-progress.ts'
import { demoRules } from './demo-rules.ts'
import { demoWebhooks } from './demo-webhooks.ts'

/**
 * Puts the demo's rules and webhooks in place, each kind once, before the messages that they are about: what people
 * delete later does not come back. As the owner, for several organizations at once.
 */
export async function seedSettings(database: Database, secretBox: SecretBox): Promise<void> {
  await database.asOwner(async trx => {
    const steps = await takeSteps(trx, ['rules', 'webhooks'])
    if (steps.has('rules')) await insertRules(trx)
    if (steps.has('webhooks')) await insertWebhooks(trx, secretBox)
  })
}

// In an older directory somebody may have a rule with the key.
async function insertRules(trx: Transaction<Tables>): Promise<void> {
  await trx
    .insertInto('rules')
    .values(demoRules)
    .onConflict(conflict => conflict.columns(['workspace_id', 'key']).doNothing())
    .execute()
}

// Not through the repository, which makes ids of its own. Nobody is shown the secrets; rotating gives new ones.
async function insertWebhooks(trx: Transaction<Tables>, secretBox: SecretBox): Promise<void> {
  const rows = demoWebhooks.map(webhook => {
    const context = toSecretContext({ workspaceId: webhook.workspace_id, id: webhook.id })
    return { ...webhook, secret: secretBox.seal(createSecret(), context) }
  })
  await trx.insertInto('webhooks').values(rows).execute()
}
