import { z } from 'zod'
import { emailAddress } from '../fields/email-address.ts'
import { line } from '../fields/line.ts'
import { paragraph } from '../fields/paragraph.ts'
import { timestamp } from '../fields/timestamp.ts'
import { idSchema } from '../id/id.ts'
import { pageQuery } from '../paging/schema.ts'

export const inboxId = idSchema('inb')

export const inboxStatuses = ['active', 'paused'] as const

export const inbox = z.object({
  id: z.string(),
  address: z.string().describe('Where mail for it is sent, in lower case.'),
  name: z.string(),
  description: z.string().nullable(),
  status: z.enum(inboxStatuses).describe('active: takes mail; paused: refuses it.'),
  sender_policy: z
    .enum(['anyone', 'allowlist'])
    .describe('Whose mail it accepts: from anyone, or only from its allowed senders.'),
  retention_days: z.int().nullable().describe('Days that its e-mails are kept; null: for good.'),
  version: z.int().describe('Grows with each edit; in double quotes it is the ETag.'),
  created_at: timestamp,
  updated_at: timestamp,
})

const name = line(100).describe('What people call it.')
const description = paragraph(1000).nullable().describe('What it is for; null for none.')
const status = z
  .enum(inboxStatuses)
  .describe('active takes mail; paused refuses it until it is active again.')
const retentionDays = z
  .int()
  .min(1)
  .max(3650)
  .nullable()
  .describe('Days to keep its e-mails; null: for good.')

export const newInbox = z.strictObject({
  address: emailAddress.describe('Where mail for it is sent. Free to choose unless another inbox has it.'),
  name,
  description: description.optional(),
  status: status.optional().describe('active (the default) takes mail; paused refuses it.'),
  retention_days: retentionDays.optional(),
})

/** Members that are left out stay as they are in an inbox that exists. */
export const upsertedInbox = newInbox.extend({
  address: emailAddress.describe(
    'Which inbox: matched against the addresses of this workspace, in any case.',
  ),
})

export const inboxChanges = z
  .strictObject({
    address: emailAddress.optional().describe('A new address. The old one stops taking mail at once.'),
    name: name.optional(),
    description: description.optional(),
    status: status.optional(),
    retention_days: retentionDays.optional(),
  })
  .refine(changes => Object.keys(changes).length > 0, 'give at least one member to change')

export const inboxesQuery = z.strictObject({
  status: z.enum(inboxStatuses).optional().describe('Only inboxes in this state.'),
  address: line(254).toLowerCase().optional().describe('Only the inbox with this address.'),
  ...pageQuery,
})

export const inboxPath = z.strictObject({
  id: z.string().describe('The id of the inbox, inb_ and 26 characters, as inboxes_list gives it.'),
})

export type Inbox = z.infer<typeof inbox>
export type NewInbox = z.infer<typeof newInbox>
export type InboxChanges = z.infer<typeof inboxChanges>
export type InboxesQuery = z.infer<typeof inboxesQuery>
