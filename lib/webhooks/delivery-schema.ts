import { z } from 'zod'
import { timestamp, timestampInput } from '../fields/timestamp.ts'
import { idSchema } from '../id/id.ts'
import { pageQuery } from '../paging/schema.ts'
import { allEventTypes } from './event-types.ts'

export const deliveryId = idSchema('dlv')

export const deliveryStatuses = ['pending', 'succeeded', 'dead'] as const

export const delivery = z.object({
  id: z.string(),
  webhook_id: z.string(),
  webhook_url: z.string().describe('Where the webhook sends to now.'),
  event_id: z.string().describe('The webhook-id that the receiver gets: the same at every attempt.'),
  event_type: z.string(),
  email_id: z
    .string()
    .nullable()
    .describe('The e-mail that the event is about; null where it is about none.'),
  status: z
    .enum(deliveryStatuses)
    .describe(
      'pending: the first or another attempt will be made; succeeded; dead: no attempt is made any more.',
    ),
  failure: z
    .object({ code: z.string(), reason: z.string() })
    .nullable()
    .describe('Why it is dead, and what to do about it; null otherwise.'),
  attempt_count: z.int(),
  next_attempt_at: timestamp.nullable().describe('When the next attempt is made; null when none is.'),
  created_at: timestamp,
  finished_at: timestamp.nullable(),
})

export const attempt = z.object({
  number: z.int().describe('From 1.'),
  attempted_at: timestamp,
  status: z.int().nullable().describe('The HTTP status of the answer; null where none came.'),
  latency_ms: z.int().describe('Milliseconds until the answer, or until the attempt had failed.'),
  error_code: z.string().nullable().describe('What went wrong; null where it succeeded.'),
  response_excerpt: z
    .string()
    .nullable()
    .describe(
      "The beginning of the answer's body, at most 1 KB; written by the receiver and not to be trusted.",
    ),
})

export const deliveryWithAttempts = delivery.extend({
  attempts: z.array(attempt).describe('Every attempt, the first one first.'),
})

export const deliveriesQuery = z.strictObject({
  webhook_id: idSchema('whk').optional().describe('Only deliveries to this webhook.'),
  status: z.enum(deliveryStatuses).optional().describe('Only deliveries in this state.'),
  event_type: z.enum(allEventTypes).optional().describe('Only deliveries of events of this type.'),
  email_id: idSchema('eml').optional().describe('Only deliveries of events about this e-mail.'),
  created_after: timestampInput.optional().describe('Only deliveries made then or later.'),
  created_before: timestampInput.optional().describe('Only deliveries made before then.'),
  ...pageQuery,
})

export const deliveryPath = z.strictObject({
  id: z.string().describe('The id of the delivery, dlv_ and 26 characters, as deliveries_list gives it.'),
})

export type Delivery = z.infer<typeof delivery>
export type DeliveryWithAttempts = z.infer<typeof deliveryWithAttempts>
export type DeliveriesQuery = z.infer<typeof deliveriesQuery>
