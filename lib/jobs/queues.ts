/** What a job on an e-mail is told: ids only, so that the queue holds nobody's mail. */
export interface EmailJob {
  readonly emailId: string
  readonly organizationId: string
  readonly workspaceId: string
  readonly operationId: string
}

/** One attempt at a delivery: of an event, to a webhook. */
export interface DeliveryJob {
  readonly deliveryId: string
  readonly organizationId: string
  readonly workspaceId: string
  /** Which attempt, from 1: a job whose attempt has been made already does nothing. */
  readonly attempt: number
  /** The operation that ends with this attempt, where somebody asked for it. */
  readonly operationId: string | null
}

/** A stretch of an erasure; whose data it is about stands in the erasure's row alone. */
export interface ErasureJob {
  readonly erasureId: string
  readonly organizationId: string
  readonly workspaceId: string
  readonly operationId: string
}

/** Every queue and what its jobs carry. Each carries the tenant that it works for. */
export interface JobData {
  'email.process': EmailJob
  'webhook.deliver': DeliveryJob
  'data.erase': ErasureJob
}

export type JobName = keyof JobData

export const jobNames: readonly JobName[] = ['email.process', 'webhook.deliver', 'data.erase']

/** Where jobs of a queue end that failed for good. */
export function toDeadQueue(name: JobName): string {
  return `${name}.dead`
}
