import { z } from 'zod'
import { emailStatuses } from '../emails/schema.ts'
import { extractionKinds, foundIn } from '../extract/extraction.ts'
import { dayInput } from '../fields/day.ts'
import { notUnicode } from '../fields/not-unicode.ts'
import { timestamp, timestampInput } from '../fields/timestamp.ts'
import { idSchema } from '../id/id.ts'
import { pageQuery } from '../paging/schema.ts'

export const extractionId = idSchema('ext')

/** So many of each kind are in an e-mail's extraction; extractions_list has the others. */
export const mostPerKind = 20

/** One proved value, as the list gives it. */
export const extraction = z.object({
  id: z.string(),
  email_id: z.string(),
  inbox_id: z.string(),
  kind: z
    .enum(extractionKinds)
    .describe(
      'boleto, pix (copy-and-paste code), nfe_key (NF-e access key), cnpj, cpf, amount, date, link or one_time_code.',
    ),
  value: z.string().describe('In its canonical form, without punctuation: what the filter value compares.'),
  details: z
    .record(z.string(), z.unknown())
    .describe(
      'What the value says, decoded; its members depend on the kind: of a boleto amount, due_date and so on.',
    ),
  found: foundIn.describe('Where it stands first in the message.'),
  found_at: timestamp.describe('When the worker found it.'),
})

const kinds = z.enum(extractionKinds)

const value = extraction.pick({ id: true, value: true, details: true, found: true })

/**
 * Everything that was proved of one e-mail. One schema for the values of all kinds: with the details of each
 * (see docs/rest.md) this tool alone would be a tenth of what a model reads of all tools.
 */
export const emailExtraction = z.object({
  email_id: z.string(),
  status: z.enum(emailStatuses).describe('Of the e-mail. Only what is processed has been searched.'),
  counts: z
    .partialRecord(kinds, z.int())
    .describe('How many values of each kind there are; kinds without any are left out.'),
  values: z
    .partialRecord(kinds, z.array(value))
    .describe('By kind, at most 20 of each in the order of the message; kinds without any are left out.'),
  unread_attachments: z
    .array(z.object({ attachment_id: z.string(), filename: z.string().nullable(), reason: z.string() }))
    .describe('PDFs whose text was not searched, or only in part, and why: reading in attachments_list.'),
})

/** Filters narrow each other. */
export const extractionsQuery = z.strictObject({
  kind: kinds.optional().describe('Only values of this kind.'),
  inbox_id: idSchema('inb').optional().describe('Only from e-mails of this inbox, an id of inboxes_list.'),
  email_id: idSchema('eml').optional().describe('Only from this e-mail, an id of emails_list.'),
  value: z
    .string()
    .trim()
    .min(1)
    .max(4096)
    .refine(value => !/\p{Cc}/u.test(value), 'must not contain control characters')
    .refine(value => value.isWellFormed(), notUnicode)
    .optional()
    .describe(
      'Only this value, exactly as extractions give it: digits without dots, letters of a CNPJ as capitals.',
    ),
  due_after: dayInput
    .optional()
    .describe('Only boletos due on this day or later, YYYY-MM-DD. Boletos without a due date are left out.'),
  due_before: dayInput.optional().describe('Only boletos due before this day, YYYY-MM-DD.'),
  found_after: timestampInput.optional().describe('Only values found at this time or later.'),
  found_before: timestampInput.optional().describe('Only values found before this time.'),
  ...pageQuery,
})

export const emailExtractionPath = z.strictObject({
  email_id: z.string().describe('The id of the e-mail, eml_ and 26 characters, as emails_list gives it.'),
})

export type ExtractionItem = z.infer<typeof extraction>
export type EmailExtraction = z.infer<typeof emailExtraction>
export type ExtractionsQuery = z.infer<typeof extractionsQuery>
