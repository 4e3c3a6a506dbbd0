/** How long what is of no more use is kept, in days. Inboxes have their own periods, for their e-mails. */
export interface RetentionPeriods {
  /** E-mails and inboxes after they were deleted. */
  readonly deletedDays: number
  readonly auditDays: number
  /** Webhook events with their deliveries, operations that are finished, and finished erasures. */
  readonly activityDays: number
}

/** What the configuration says of it: environment variables have no word for the rest. */
export type ConfiguredPeriods = Pick<RetentionPeriods, 'deletedDays' | 'auditDays'>

export const activityDays = 90
