/** What a job on an e-mail is told: ids only, so that the queue holds nobody's mail. */
export interface EmailJob {
  readonly emailId: string
  readonly organizationId: string
  readonly workspaceId: string
  readonly operationId: string
}

/** Every queue and what its jobs carry. Each carries the tenant that it works for. */
export interface JobData {
  'email.process': EmailJob
}

export type JobName = keyof JobData

export const jobNames: readonly JobName[] = ['email.process']

/** Where jobs of a queue end that failed for good. */
export function toDeadQueue(name: JobName): string {
  return `${name}.dead`
}
