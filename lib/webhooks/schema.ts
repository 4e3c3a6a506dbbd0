import { z } from 'zod'
import { paragraph } from '../fields/paragraph.ts'
import { timestamp } from '../fields/timestamp.ts'
import { idSchema } from '../id/id.ts'
import { pageQuery } from '../paging/schema.ts'
import { subscribedEventTypes } from './event-types.ts'

export const webhookId = idSchema('whk')

export const webhook = z.object({
  id: z.string(),
  url: z.string().describe('Where events are sent.'),
  description: z.string().nullable(),
  event_types: z.array(z.string()).describe('What it is told.'),
  enabled: z.boolean().describe('Whether events are sent to it.'),
  disabled_reason: z.string().nullable().describe('Why it was disabled by itself; null otherwise.'),
  disabled_at: timestamp.nullable(),
  failing_since: timestamp
    .nullable()
    .describe('The first failure since its last success; null while it works.'),
  previous_secret_until: timestamp
    .nullable()
    .describe('Until when messages are also signed with the secret before the last rotation.'),
  version: z.int().describe('Grows with each edit; in double quotes it is the ETag.'),
  created_at: timestamp,
  updated_at: timestamp,
})

export const webhookWithSecret = webhook.extend({
  secret: z
    .string()
    .describe('What its messages are signed with (Standard Webhooks). Keep it: it is not shown again.'),
})

const url = z
  .string()
  .max(2000)
  .describe(
    'An https URL of the public internet, without user name, password or fragment. Redirects are not followed.',
  )
const eventTypes = z
  .array(z.enum(subscribedEventTypes))
  .min(1)
  .max(subscribedEventTypes.length)
  .refine(types => new Set(types).size === types.length, 'must not repeat a type')
  .describe('What to be told: at least one type.')
const description = paragraph(1000).nullable().describe('What it is for; null for none.')
const enabled = z.boolean()

export const newWebhook = z.strictObject({
  url,
  event_types: eventTypes,
  description: description.optional(),
  enabled: enabled.optional().describe('true (the default): events are sent from now on.'),
})

export const webhookChanges = z
  .strictObject({
    url: url.optional(),
    event_types: eventTypes.optional(),
    description: description.optional(),
    enabled: enabled.optional().describe('false stops sending; true begins again, with new events.'),
  })
  .refine(changes => Object.keys(changes).length > 0, 'give at least one member to change')

export const rotation = z.strictObject({
  overlap_hours: z
    .int()
    .min(0)
    .max(168)
    .default(24)
    .describe('Hours during which messages carry a signature of the old secret as well, 0 to 168.'),
})

export const webhooksQuery = z.strictObject({ ...pageQuery })

export const webhookPath = z.strictObject({
  id: z.string().describe('The id of the webhook, whk_ and 26 characters, as webhooks_list gives it.'),
})

export type Webhook = z.infer<typeof webhook>
export type NewWebhook = z.infer<typeof newWebhook>
export type WebhookChanges = z.infer<typeof webhookChanges>
export type WebhooksQuery = z.infer<typeof webhooksQuery>
