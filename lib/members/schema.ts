import { z } from 'zod'
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

export const membersQuery = z.strictObject({
  role: role.optional().describe('Only people in this role.'),
  ...pageQuery,
})

export const memberPath = z.strictObject({
  user_id: z.string().describe('The id of the person, usr_ and 26 characters, as members_list gives it.'),
})

export type Member = z.infer<typeof member>
export type MembersQuery = z.infer<typeof membersQuery>
