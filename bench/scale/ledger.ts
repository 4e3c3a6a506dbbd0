/** What became of one request. `unavailable`: refused clearly, with the advice to come back. */
export type Verdict = 'served' | 'unavailable' | 'failed'

export interface Sample {
  readonly kind: string
  readonly verdict: Verdict
  readonly milliseconds: number
  /** Which replica answered; null where none did. */
  readonly replica: string | null
  /** What is wrong with it, where something is. */
  readonly fault: string | null
}

/** A stretch of time in which the same is expected of every answer. */
export interface Phase {
  readonly name: string
  /** Whether a clear refusal is as good as an answer here. */
  readonly mayBeUnavailable: boolean
  readonly samples: Sample[]
}

/** Everything that was sent, what was answered to it, and what was acknowledged and has to be there in the end. */
export interface Ledger {
  readonly phases: readonly Phase[]
  /** Addresses of inboxes whose creation was answered with success. */
  readonly created: Set<string>
  /** Addresses of inboxes whose removal a person confirmed and was told of. */
  readonly removed: Set<string>
  /** Addresses of inboxes whose removal a person declined. */
  readonly kept: Set<string>
  /** Ids of messages that were answered with 250. */
  readonly mailed: Set<string>
  /** What was answered wrongly, beyond single requests: an idempotent repetition that ran again, say. */
  readonly wrongs: string[]
  begin(name: string, expected?: { readonly mayBeUnavailable: boolean }): void
  /** To be called when a request leaves; what it returns, when it has ended. */
  open(): (sample: Sample) => void
}

export function createLedger(): Ledger {
  const phases: Phase[] = []
  const begin: Ledger['begin'] = (name, { mayBeUnavailable } = { mayBeUnavailable: false }) => {
    phases.push({ name, mayBeUnavailable, samples: [] })
  }
  begin('start')
  return {
    phases,
    created: new Set(),
    removed: new Set(),
    kept: new Set(),
    mailed: new Set(),
    wrongs: [],
    begin,
    open() {
      const first = phases.at(-1)
      return sample => {
        const last = phases.at(-1)
        // A request that reaches into an outage from either side belongs to it.
        const phase = first?.mayBeUnavailable ? first : last
        phase?.samples.push(sample)
      }
    },
  }
}

/** What must not have happened, in words; empty where all went well. */
export function findFaults({ phases, wrongs }: Ledger): string[] {
  const faults = phases.flatMap(({ name, mayBeUnavailable, samples }) =>
    samples
      .filter(({ verdict }) => verdict === 'failed' || (verdict === 'unavailable' && !mayBeUnavailable))
      .map(({ kind, fault }) => `${name}: ${kind}: ${fault ?? 'unavailable'}`),
  )
  return [...faults, ...wrongs]
}
