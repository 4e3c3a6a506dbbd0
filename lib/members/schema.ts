import { z } from 'zod'
import { personalAddress } from '../fields/email-address.ts'
import { line } from '../fields/line.ts'
import { timestamp } from '../fields/timestamp.ts'
import { idSchema } from '../id/id.ts'
import { pageQuery } from '../paging/schema.ts'

export const userId = idSchema('usr')

const role = z.enum(['admin', 'operator', 'viewer'])

export const member = z.object({
  id: z.string().describe("The person's id."),
  name: z.string(),
  email: z.string(),
  role: role.describe('In this workspace.'),
  disabled: z.boolean().describe('true: the account is disabled, so that the role has no effect.'),
  version: z.int().describe('Grows when the role changes; in double quotes it is the ETag.'),
})

export const memberChanges = z.strictObject({
  role: role.describe(
    'admin: everything; operator: works with e-mails and rules; viewer: only reads. In this workspace.',
  ),
})

export const newMember = z.strictObject({
  email: personalAddress.describe('Their e-mail address, with which they log in.'),
  name: line(100).describe('What they are called. Somebody who has an account keeps their name.'),
  role: role.describe(
    'admin: everything; operator: works with e-mails and rules; viewer: only reads. In this workspace.',
  ),
})

const link = {
  link: z
    .string()
    .nullable()
    .describe(
      'Where the person sets a password, once: hand it to them and to nobody else, it is not shown again. null where they are mailed it, or need none.',
    ),
  link_expires_at: timestamp.nullable(),
  mailed: z.boolean().describe('true: they are mailed a link.'),
}

export const invitedMember = member.extend(link)

export const passwordReset = z.object({ id: z.string().describe("The person's id."), ...link })

export const membersQuery = z.strictObject({
  role: role.optional().describe('Only people in this role.'),
  ...pageQuery,
})

export const memberPath = z.strictObject({
  user_id: z.string().describe('The id of the person, usr_ and 26 characters, as members_list gives it.'),
})

export type NewMember = z.infer<typeof newMember>
export type PasswordReset = z.infer<typeof passwordReset>
export type Member = z.infer<typeof member>
export type MembersQuery = z.infer<typeof membersQuery>
