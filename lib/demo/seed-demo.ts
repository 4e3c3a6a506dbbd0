import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import { writeDemoPeople } from './demo-files.ts'
import { countUnfinished, openDemoProgress, takeSteps } from './demo-progress.ts'
import { seedEmails } from './seed-emails.ts'
import { seedTenants } from './seed-tenants.ts'

export interface Seeding {
  readonly database: Database
  /** Where people.json goes. */
  readonly dataDir: string
  readonly print: (text: string) => void
  readonly signal: AbortSignal
}

// Counts up when the demo gets more data, so that an older directory receives what is new.
const complete = 'complete-1'

/**
 * Puts the demo's data in place and waits until the worker, which must be running, has read every message.
 * May be killed at any moment and called again: it goes on where it was, and does nothing twice. Rejects when
 * the signal is aborted.
 */
export async function seedDemo(seeding: Seeding): Promise<void> {
  const { database, print, signal } = seeding
  const done = await openDemoProgress(database)
  await seedTenants(database)
  await writeDemoPeople(seeding.dataDir, await readPeople(database))
  if (done.has(complete)) return

  // Loaded when it is needed: from the second start on it is not.
  const { createDemoMessages } = await import('./messages/index.ts')
  const messages = await createDemoMessages()
  print(`Delivering ${messages.length} demo messages to the worker…`)
  await seedEmails(messages, { database, done, signal })
  while ((await countUnfinished(database)) > 0) await delay(50, null, { signal })
  await database.asOwner(trx => takeSteps(trx, [complete]))
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
