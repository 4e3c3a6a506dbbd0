import type { MailConfig } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { giveUpOnLink, mailLink } from './mail-link.ts'
import { createMailTransport } from './mail-transport.ts'

export interface PeopleWorkerOptions extends MailConfig {
  readonly publicUrl: string
}

/** Mails links to people in this process. Stop it after its jobs. */
export async function startPeopleWorker(
  { database, jobs }: { database: Database; jobs: Jobs },
  options: PeopleWorkerOptions,
): Promise<{ stop(): void }> {
  const mailer = { ...options, transport: createMailTransport(options) }
  await jobs.handle('people.mail_link', job => mailLink(database, job, mailer))
  await jobs.handleDead('people.mail_link', job => giveUpOnLink(database, job))
  return { stop: () => mailer.transport.close() }
}
