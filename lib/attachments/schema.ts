import { z } from 'zod'
import { idSchema } from '../id/id.ts'
import { pageQuery } from '../paging/schema.ts'

export const attachmentId = idSchema('att')

export const attachmentReadings = [
  'read',
  'truncated',
  'not_pdf',
  'too_large',
  'encrypted',
  'broken',
  'timeout',
  'memory',
  'skipped',
] as const

/** A file of a message, without its content. */
export const attachment = z.object({
  id: z.string(),
  email_id: z.string(),
  filename: z.string().nullable().describe('As the sender calls it, without any path; null where unnamed.'),
  content_type: z.string().describe('What the sender says it is. Nobody has checked.'),
  size_bytes: z.int(),
  content_id: z.string().nullable().describe('What the HTML of the message refers to it by (cid:).'),
  disposition: z.enum(['attachment', 'inline']).describe('inline: shown in the message, such as a logo.'),
  sha256: z.string().describe('Of the content, 64 hexadecimal digits.'),
  position: z.int().describe('Its place in the message, from 0.'),
  reading: z
    .enum(attachmentReadings)
    .nullable()
    .describe(
      'Of a PDF, whether its text was searched: read; truncated: its beginning was; otherwise why not (skipped: others took all the time there is for one message). null: no PDF, not searched.',
    ),
})

export const attachmentPath = z.strictObject({
  id: z.string().describe('The id of the attachment, att_ and 26 characters, as attachments_list gives it.'),
})

export const emailAttachmentsPath = z.strictObject({
  email_id: z.string().describe('The id of the e-mail, eml_ and 26 characters, as emails_list gives it.'),
})

export const attachmentsQuery = z.strictObject(pageQuery)

export type Attachment = z.infer<typeof attachment>
export type AttachmentsQuery = z.infer<typeof attachmentsQuery>
