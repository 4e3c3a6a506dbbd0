import { z } from 'zod'

/** How many days a question may span. */
export const daysAtMost = 366

/** How many inboxes are listed one by one. */
export const inboxesAtMost = 100

const day = z.string().refine(isDay, 'must be a day such as 2026-07-28').meta({ format: 'date' })

export const statsQuery = z
  .strictObject({
    from: day
      .optional()
      .describe('The first day, UTC, such as 2026-07-01. Default: 29 days before the last.'),
    to: day.optional().describe('The last day, UTC, itself counted. Default: today.'),
  })
  .meta({ description: `At most ${daysAtMost} days.` })

const count = z.int()

export const stats = z.object({
  from: z.string().describe('The first day counted, UTC.'),
  to: z.string().describe('The last day counted, UTC.'),
  total: count.describe('E-mails received on these days, deleted ones not counted; so are all counts here.'),
  unread: count.describe('Those of them that nobody has marked as read.'),
  by_status: z.object({
    received: count,
    processing: count,
    processed: count,
    failed: count,
    rejected: count,
  }),
  by_inbox: z
    .array(z.object({ inbox_id: z.string(), address: z.string(), name: z.string(), total: count }))
    .describe(`The inboxes that received any, the busiest first, at most ${inboxesAtMost}.`),
  inboxes: count.describe('How many inboxes received any, also where not all are listed.'),
  by_day: z
    .array(z.object({ day: z.string(), total: count }))
    .describe('Every day, UTC, in order, also those without e-mail.'),
})

export type Stats = z.infer<typeof stats>
export type StatsQuery = z.infer<typeof statsQuery>

/** The calendar decides: 30 February is none, although Date would take it for 2 March. */
function isDay(value: string): boolean {
  if (!/^[1-9]\d{3}-\d{2}-\d{2}$/.test(value)) return false
  const time = Date.parse(`${value}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
}
