import { setTimeout as delay } from 'node:timers/promises'
import { recordSystemEvent } from '../audit/record-events.ts'
import type { Database } from '../database/database.ts'
import type { SigningKey } from '../identity/signing-key.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { writeDemoPeople } from './demo-files.ts'
import { countUnattempted, countUnfinished, openDemoProgress, takeSteps } from './demo-progress.ts'
import { demoRows } from './demo-rows.ts'
import { demoRules } from './demo-rules.ts'
import { demoWebhooks } from './demo-webhooks.ts'
import { rereadEmails } from './reread-emails.ts'
import { seedEmails } from './seed-emails.ts'
import { seedPasswords } from './seed-passwords.ts'
import { seedSettings } from './seed-settings.ts'
import { seedTenants } from './seed-tenants.ts'

export interface Seeding {
  readonly database: Database
  /** Where people.json goes. */
  readonly dataDir: string
  /** What webhooks' secrets are sealed with. */
  readonly secretBox: SecretBox
  /** What the demo's people log in with is drawn from it. */
  readonly signingKey: SigningKey
  /**
   * Starts delivering webhooks. Called once every message is read: a webhook that is disabled by its first answer has
   * been told of all of them by then, so that the same deliveries arise every time.
   */
  readonly startDeliveries: () => Promise<void>
  readonly print: (text: string) => void
  readonly signal: AbortSignal
}

// Counts up when the demo gets more data, so that an older directory receives what is new.
const complete = 'complete-2'
/** Complete as of a version that extracted nothing and had no rules. */
const unruled = 'complete-1'

const announceEvery = 50

/**
 * Puts the demo's data in place and waits until the worker, which must be running, has read every message and every
 * delivery was attempted. May be killed at any moment and called again: it goes on where it was, and does nothing
 * twice. Rejects when the signal is aborted.
 */
export async function seedDemo(seeding: Seeding): Promise<void> {
  const { database } = seeding
  const done = await openDemoProgress(database)
  await seedTenants(database)
  await writeDemoPeople(seeding.dataDir, await readPeople(database))
  await Promise.all([seedPasswords(seeding, done), seedWork(seeding, done)])
}

async function seedWork(seeding: Seeding, done: ReadonlySet<string>): Promise<void> {
  const { database, signal, startDeliveries } = seeding
  if (done.has(complete)) return startDeliveries()

  await seedSettings(database, seeding.secretBox)
  await seedMail(seeding, done)
  await startDeliveries()
  const webhookIds = demoWebhooks.map(({ id }) => id)
  while ((await countUnattempted(database, webhookIds)) > 0) await delay(100, null, { signal })
  await finish(database)
}

async function seedMail({ database, print, signal }: Seeding, done: ReadonlySet<string>): Promise<void> {
  // Loaded when it is needed: from the second start on it is not.
  const { createDemoMessages } = await import('./messages/index.ts')
  const messages = await createDemoMessages()
  print(`Delivering ${messages.length} demo messages to the worker…`)
  await seedEmails(messages, { database, done, signal })
  if (done.has(unruled)) {
    const keys = messages.map(({ key }) => key)
    await rereadEmails(keys, { database, done, signal })
  }
  let announced = 0
  for (;;) {
    const left = await countUnfinished(database)
    const read = messages.length - left
    if (read - announced >= announceEvery || left === 0) {
      print(`Read ${read} of ${messages.length}`)
      announced = read
    }
    if (left === 0) return
    await delay(200, null, { signal })
  }
}

/** Notes that all of it is there, for the demo and, in each workspace's audit trail, for its people. */
async function finish(database: Database): Promise<void> {
  await database.asOwner(async trx => {
    const steps = await takeSteps(trx, [complete])
    if (!steps.has(complete)) return
    for (const { id: workspaceId, organization_id: organizationId } of demoRows.workspaces) {
      const count = (rows: readonly { workspace_id: string }[]) =>
        rows.filter(row => row.workspace_id === workspaceId).length
      const counts = {
        inboxes: count(demoRows.inboxes),
        rules: count(demoRules),
        webhooks: count(demoWebhooks),
      }
      await recordSystemEvent(trx, { organizationId, workspaceId }, { action: 'demo.seed', counts })
    }
  })
}

/** User ids by e-mail address. As the owner: people of every organization. */
async function readPeople(database: Database): Promise<Record<string, string>> {
  const users = await database.asOwner(trx =>
    trx
      .selectFrom('users')
      .select(['email', 'id'])
      .where('disabled_at', 'is', null)
      .orderBy('email')
      .execute(),
  )
  return Object.fromEntries(users.map(({ email, id }) => [email, id]))
}
