import type { SubscribedEventType } from '../webhooks/event-types.ts'
import { toDemoId } from './demo-id.ts'
import { createdAt, toTenant } from './demo-rows.ts'

/** How a receiver of the demo answers. */
export interface DemoAnswer {
  readonly status: number
  readonly body: string
  /** Milliseconds that it takes. */
  readonly delay: number
}

interface DemoWebhook {
  host: string
  description: string
  events: readonly SubscribedEventType[]
  answer: DemoAnswer
  enabled?: false
}

const note = 'The demo answers in place of its receiver.'

// None of them is told of every e-mail, so that some dozens of deliveries arise and no hundreds.
const webhooks: readonly DemoWebhook[] = [
  {
    host: 'erp.acme.test',
    description: `ERP: bills of the largest suppliers. ${note} It takes everything.`,
    events: ['rule.matched'],
    answer: { status: 200, body: '{"accepted":true}', delay: 0 },
  },
  {
    host: 'archive.acme.test',
    description: `Archive: what could not be read. ${note} It is slow.`,
    events: ['email.failed'],
    answer: { status: 202, body: 'queued', delay: 300 },
  },
  {
    host: 'alerts.acme.test',
    description: `Alerts on refused senders. ${note} It is out of order, so deliveries are tried again for a day.`,
    events: ['email.rejected'],
    answer: { status: 503, body: 'Down for maintenance', delay: 0 },
  },
  {
    host: 'legacy.acme.test',
    description: `The system before the ERP. ${note} It says 410 Gone, which disables a webhook.`,
    events: ['email.failed'],
    answer: { status: 410, body: 'Retired', delay: 0 },
  },
  {
    host: 'staging.acme.test',
    description: `For trying things out; switched off by hand. ${note}`,
    events: ['email.processed', 'email.failed', 'email.rejected', 'rule.matched'],
    answer: { status: 200, body: 'ok', delay: 0 },
    enabled: false,
  },
]

/** The demo's webhooks, all in Billing, as rows of the database but for their secrets; ids never change. */
export const demoWebhooks = webhooks.map(({ host, description, events, enabled = true }, position) => ({
  id: toDemoId('whk', { position, name: host }),
  ...toTenant('Billing'),
  // Of the top-level domain that RFC 6761 keeps for tests: nothing outside answers to it.
  url: `https://${host}/hooks/inbox`,
  description,
  event_types: [...events],
  enabled,
  created_at: createdAt,
  updated_at: createdAt,
}))

/** What is answered at each of their hosts. */
export const demoAnswers: ReadonlyMap<string, DemoAnswer> = new Map(
  webhooks.map(({ host, answer }) => [host, answer]),
)
