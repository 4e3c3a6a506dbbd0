import type { Transporter } from 'nodemailer'
import { recordSystemEvent } from '../audit/record-events.ts'
import type { Database } from '../database/database.ts'
import type { LinkJob } from '../jobs/queues.ts'
import { createLink } from './create-link.ts'
import { type LinkMessage, toLinkMessage } from './link-message.ts'
import { toLinkUrl } from './to-link-url.ts'

export interface LinkMailer {
  readonly transport: Transporter
  readonly from: string
  /** What links begin with. */
  readonly publicUrl: string
}

/**
 * Mails a person a link that is made for it. Rejects for what may pass, so that it is tried again, with another link:
 * the newest one is good. What does not pass (the relay refuses the address for good) is recorded. A person who has
 * been disabled, or removed from the workspace, meanwhile is sent nothing.
 */
export async function mailLink(database: Database, job: LinkJob, mailer: LinkMailer): Promise<void> {
  const message = await prepare(database, job, mailer)
  if (!message) return
  try {
    await mailer.transport.sendMail({
      from: mailer.from,
      to: { name: message.name, address: message.email },
      // RFC 3834, section 5: nobody's holiday notice answers it.
      headers: { 'Auto-Submitted': 'auto-generated' },
      ...toLinkMessage(message),
    })
  } catch (error) {
    if (isRefusedForGood(error)) return giveUpOnLink(database, job)
    throw withoutToken(error, message.token)
  }
  await record(database, job, { outcome: 'succeeded' })
}

/** The audit trail says that nothing was sent, and an admin asks again. */
export async function giveUpOnLink(database: Database, job: LinkJob): Promise<void> {
  await record(database, job, { outcome: 'failed', code: 'not_mailed' })
}

async function prepare(
  database: Database,
  job: LinkJob,
  { publicUrl }: LinkMailer,
): Promise<(LinkMessage & { readonly name: string; readonly token: string }) | null> {
  return database.inTenant(job, async trx => {
    const person = await trx
      .selectFrom('memberships')
      .innerJoin('users', 'users.id', 'memberships.user_id')
      .innerJoin('organizations', 'organizations.id', 'users.organization_id')
      .select(['users.email', 'users.name', 'organizations.name as organizationName'])
      .where('memberships.user_id', '=', job.userId)
      .where('memberships.workspace_id', '=', job.workspaceId)
      .where('memberships.organization_id', '=', job.organizationId)
      .where('users.disabled_at', 'is', null)
      .executeTakeFirst()
    if (!person) return null
    const { token, purpose } = await createLink(trx, job)
    return { ...person, purpose, token, url: toLinkUrl(publicUrl, token) }
  })
}

async function record(
  database: Database,
  job: LinkJob,
  ending: { readonly outcome: 'succeeded' | 'failed'; readonly code?: string },
): Promise<void> {
  const resource = { type: 'member', id: job.userId }
  await database.inTenant(job, trx =>
    recordSystemEvent(trx, job, { action: 'people.mail_link', resource, ...ending }),
  )
}

/** A relay may quote the message that it does not like, and errors are logged. */
function withoutToken(error: unknown, token: string): Error {
  const reason = error instanceof Error ? error.message : String(error)
  return new Error(`the relay did not take the message: ${reason.replaceAll(token, '[token]')}`)
}

/** RFC 5321, section 4.2.1: a reply of 5yz is the same the next time. A refused login is for the operator to mend. */
function isRefusedForGood(error: unknown): boolean {
  if (!(error instanceof Error) || ('code' in error && error.code === 'EAUTH')) return false
  return 'responseCode' in error && Number(error.responseCode) >= 500
}
