import { z } from 'zod'
import { timestamp } from '../fields/timestamp.ts'
import { idSchema } from '../id/id.ts'
import { pageQuery } from '../paging/schema.ts'

export const operationId = idSchema('opr')

export const operationStatuses = ['queued', 'running', 'succeeded', 'failed'] as const

export const operation = z.object({
  id: z.string(),
  kind: z.string().describe('What is done, for example email.process.'),
  status: z
    .enum(operationStatuses)
    .describe('queued and running: ask again in a second or two; succeeded and failed are final.'),
  resource: z
    .object({ type: z.string(), id: z.string() })
    .nullable()
    .describe('What it works on, for example an email and its id.'),
  error: z
    .object({ code: z.string(), detail: z.string().nullable() })
    .nullable()
    .describe('Why it failed; null otherwise.'),
  created_by: z
    .string()
    .nullable()
    .describe('The person who asked for it; null where mail arrived by itself.'),
  created_at: timestamp,
  started_at: timestamp.nullable(),
  finished_at: timestamp.nullable(),
})

export const operationsQuery = z.strictObject({
  status: z.enum(operationStatuses).optional().describe('Only operations in this state.'),
  email_id: idSchema('eml').optional().describe('Only operations on this e-mail.'),
  ...pageQuery,
})

export const operationPath = z.strictObject({
  id: z.string().describe('The id of the operation, opr_ and 26 characters, from the answer that began it.'),
})

export type Operation = z.infer<typeof operation>
export type OperationsQuery = z.infer<typeof operationsQuery>
