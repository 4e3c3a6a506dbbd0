/** What webhooks can be told, and what each of it means. `webhook.test` comes without being subscribed to. */
export const eventTypes = {
  'email.processed': 'An e-mail was read; what was extracted from it can be asked for.',
  'email.failed': 'An e-mail could not be read; data says why.',
  'email.rejected': 'An e-mail came from a sender whom its inbox does not accept.',
  'rule.matched': 'A rule with the action notify matched an e-mail.',
} as const satisfies Record<string, string>

export type SubscribedEventType = keyof typeof eventTypes
export type EventType = SubscribedEventType | 'webhook.test'

export const subscribedEventTypes = Object.keys(eventTypes) as [SubscribedEventType, ...SubscribedEventType[]]

export const allEventTypes: readonly [EventType, ...EventType[]] = [...subscribedEventTypes, 'webhook.test']
