import { z } from 'zod'
import { line } from '../fields/line.ts'
import { timestamp, timestampInput } from '../fields/timestamp.ts'
import { idSchema } from '../id/id.ts'
import { pageQuery } from '../paging/schema.ts'

export const auditEventId = idSchema('aud')

export const auditOutcomes = ['succeeded', 'refused', 'failed'] as const

export const auditVias = ['rest', 'mcp', 'system'] as const

export const auditEvent = z.object({
  id: z.string(),
  occurred_at: timestamp,
  workspace_id: z
    .string()
    .nullable()
    .describe('null: done to the organization, or refused before a workspace was known.'),
  actor_id: z.string().nullable().describe('The person, as members_list has them; null for the system.'),
  client_id: z.string().nullable().describe('The client that the access token was issued to.'),
  client: z
    .object({ name: z.string(), version: z.string().nullable() })
    .nullable()
    .describe('What the client says of itself, unproved; null where it says nothing.'),
  via: z.enum(auditVias).describe('rest, mcp (a tool call), or system.'),
  action: z.string().describe('The operation, for example emails_delete.'),
  resource: z
    .object({ type: z.string(), id: z.string() })
    .nullable()
    .describe('What it was done to, or asked for; null where it has no one target.'),
  outcome: z
    .enum(auditOutcomes)
    .describe('succeeded; refused, which changed nothing, with its code; failed on our side.'),
  code: z.string().nullable().describe('The code of the refusal or failure.'),
  status: z.int().nullable().describe('The HTTP status of the answer.'),
  replayed: z.boolean().describe('A repetition that got the first answer again, and did nothing.'),
  counts: z
    .record(z.string(), z.int())
    .nullable()
    .describe('How much the system did, for example how many e-mails it removed.'),
  request_id: z.string().nullable().describe('The request_id that the caller may quote.'),
})

export const auditEventsQuery = z.strictObject({
  actor_id: idSchema('usr').optional().describe('Only what this person did.'),
  action: line(100).optional().describe('Only this operation, for example emails_delete.'),
  resource_type: line(50).optional().describe('Only on this kind of record, for example email or inbox.'),
  resource_id: line(100).optional().describe('Only on the record with this id.'),
  outcome: z.enum(auditOutcomes).optional().describe('Only what ended so.'),
  via: z.enum(auditVias).optional().describe('Only what came this way: rest, mcp (agents) or system.'),
  after: timestampInput.optional().describe('Only what happened at this time or later.'),
  before: timestampInput.optional().describe('Only what happened before this time.'),
  ...pageQuery,
})

export type AuditEvent = z.infer<typeof auditEvent>
export type AuditEventsQuery = z.infer<typeof auditEventsQuery>
