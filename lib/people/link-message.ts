import type { LinkPurpose } from '../database/tables.ts'
import { linkHours } from './create-link.ts'

export interface LinkMessage {
  readonly purpose: LinkPurpose
  readonly email: string
  readonly organizationName: string
  readonly url: string
}

/**
 * What a person is written with a link. In plain text and without a word of whoever asked for it: what strangers are sent
 * in somebody's name is not to carry what an admin likes to say.
 */
export function toLinkMessage({ purpose, email, organizationName, url }: LinkMessage): {
  readonly subject: string
  readonly text: string
} {
  const isInvitation = purpose === 'invitation'
  const subject = isInvitation
    ? `You have access to the inboxes of ${organizationName}`
    : `A new password at ${organizationName}`
  const beginning = isInvitation
    ? `${organizationName} has given you access to its inboxes. You log in as ${email}, with a password that you choose here:`
    : `An admin of ${organizationName} has asked for a new password for ${email}. You choose it here:`
  const end = isInvitation
    ? 'If you expected nothing of the kind, do nothing: without a password nobody logs in.'
    : 'Until you do, nothing changes. If you did not ask for it, tell your admin.'
  return {
    subject,
    text: `${beginning}\n\n${url}\n\nThe link works once, within ${linkHours[purpose]} hours.\n\n${end}\n`,
  }
}
