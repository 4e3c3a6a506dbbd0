import type { Metrics } from './metrics.ts'

/** What a worker tells of its work. */
export interface WorkerObserver {
  /** A message that was read: what it is, or `retry` where reading it is tried again. Null: there was nothing to do. */
  message(outcome: string | null): void
  /** An attempt at a delivery: `succeeded`, the code of its failure, or `retry` where the worker itself failed. */
  delivery(outcome: string | null): void
  /** The reply to a message that came by SMTP. */
  mail(reply: number): void
}

export function createWorkerObserver({ messages, deliveries, mail }: Metrics): WorkerObserver {
  return {
    message(outcome) {
      if (outcome !== null) messages.inc({ outcome })
    },
    delivery(outcome) {
      if (outcome !== null) deliveries.inc({ outcome })
    },
    mail(reply) {
      mail.inc({ reply: `${Math.floor(reply / 100)}xx` })
    },
  }
}

/** Tells what came of a piece of work, and passes it on, a rejection included. */
export async function observed(
  tell: ((outcome: string | null) => void) | undefined,
  work: Promise<string | null>,
): Promise<void> {
  try {
    // Waited for whether or not somebody is told: an optional call without a callee does not evaluate its arguments.
    const outcome = await work
    tell?.(outcome)
  } catch (error) {
    tell?.('retry')
    throw error
  }
}
