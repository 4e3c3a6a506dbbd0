/** What every job may carry: the `traceparent` of what asked for it, where spans are exported. */
export interface TracedJob {
  readonly trace?: string
}

/** What a job on an e-mail is told: ids only, so that the queue holds nobody's mail. */
export interface EmailJob extends TracedJob {
  readonly emailId: string
  readonly organizationId: string
  readonly workspaceId: string
  readonly operationId: string
}

/** One attempt at a delivery: of an event, to a webhook. */
export interface DeliveryJob extends TracedJob {
  readonly deliveryId: string
  readonly organizationId: string
  readonly workspaceId: string
  /** Which attempt, from 1: a job whose attempt has been made already does nothing. */
  readonly attempt: number
  /** The operation that ends with this attempt, where somebody asked for it. */
  readonly operationId: string | null
}

/** A stretch of an erasure; whose data it is about stands in the erasure's row alone. */
export interface ErasureJob extends TracedJob {
  readonly erasureId: string
  readonly organizationId: string
  readonly workspaceId: string
  readonly operationId: string
}

/** A link to be mailed to a person. The link is made when it is sent, so that it never stands in the queue. */
export interface LinkJob extends TracedJob {
  readonly userId: string
  readonly organizationId: string
  /** Where it was asked for. */
  readonly workspaceId: string
  readonly createdBy: string
}

/** Every queue and what its jobs carry. Each carries the tenant that it works for. */
export interface JobData {
  'email.process': EmailJob
  'webhook.deliver': DeliveryJob
  'data.erase': ErasureJob
  'people.mail_link': LinkJob
}

export type JobName = keyof JobData

export const jobNames: readonly JobName[] = [
  'email.process',
  'webhook.deliver',
  'data.erase',
  'people.mail_link',
]

/** How a queue tries again where it is not as all do. Times are in seconds. */
export const queueRetries: Readonly<
  Partial<Record<JobName, { retryLimit: number; retryDelay: number; retryDelayMax: number }>>
> = {
  // A relay may be away for an hour; afterwards whoever waits for the mail has asked again.
  'people.mail_link': { retryLimit: 12, retryDelay: 5, retryDelayMax: 900 },
}

/** Where jobs of a queue end that failed for good. */
export function toDeadQueue(name: JobName): string {
  return `${name}.dead`
}
