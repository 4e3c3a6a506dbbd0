import { z } from 'zod'
import { timestamp } from '../fields/timestamp.ts'
import { pageQuery } from '../paging/schema.ts'
import { toSender } from './to-sender.ts'

/** How many patterns an inbox may have. */
export const patternsAtMost = 1000

/**
 * An address in the dot-atom form of RFC 5321, section 4.1.2, or `@` and a domain, which stands for every address of
 * that domain and for none of its subdomains.
 */
const pattern = z
  .string()
  .max(254)
  .overwrite(toSender)
  .refine(isPattern, 'must be an address such as ana@acme.test, or a domain such as @acme.test')

const each =
  'Each an address such as ana@acme.test, or @acme.test for all of a domain, without its subdomains.'

export const allowedSender = z.object({
  pattern: z.string().describe('An address, or @ and a domain; in lower case.'),
  created_at: timestamp,
})

export const senderRules = z.object({
  inbox_id: z.string(),
  sender_policy: z
    .enum(['anyone', 'allowlist'])
    .describe('anyone: the list has no effect; allowlist: mail from others is rejected.'),
  allowed_senders: z.int().describe('How many patterns the list has.'),
  version: z.int().describe("The inbox's; in double quotes it is the ETag."),
})

export const addedSenders = z.strictObject({
  patterns: z.array(pattern).min(1).max(100).describe(`Whom to add, up to 100 at a time. ${each}`),
})

export const replacedSenders = z.strictObject({
  patterns: z.array(pattern).max(patternsAtMost).describe(`The whole new list; may be empty. ${each}`),
})

export const removedSender = z.strictObject({
  pattern: pattern.describe('Whom to remove, exactly as the list has it.'),
})

export const senderPolicy = z.strictObject({
  policy: z
    .enum(['anyone', 'allowlist'])
    .describe('anyone: all senders; allowlist: only those on the list, nobody while it is empty.'),
})

export const allowedSendersQuery = z.strictObject({ ...pageQuery })

export const allowedSendersPath = z.strictObject({
  inbox_id: z.string().describe('The id of the inbox, inb_ and 26 characters, as inboxes_list gives it.'),
})

export type AllowedSender = z.infer<typeof allowedSender>
export type AllowedSendersQuery = z.infer<typeof allowedSendersQuery>
export type SenderRules = z.infer<typeof senderRules>
export type SenderPolicy = z.infer<typeof senderPolicy>['policy']

/** Of a cursor, which anybody can write: what an earlier page ended with. The database refuses NUL. */
export const storedPattern = z
  .string()
  .max(254)
  .regex(/^\P{Cc}+$/u)
  .includes('@')

/** Without `*`, which RFC 5322 allows and whoever writes it means something else by. */
function isPattern(value: string): boolean {
  return /^(?:(?=[^@]{1,64}@)[a-z0-9!#$%&'+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'+/=?^_`{|}~-]+)*)?@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/.test(
    value,
  )
}
