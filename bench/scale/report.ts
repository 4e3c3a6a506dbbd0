import type { Ledger, Phase, Sample } from './ledger.ts'
import type { Promised } from './verify.ts'

/** What was sent and what was answered, a line for each phase and for each kind of request. */
export function toTraffic({ phases }: Ledger): string {
  const head = toLine(['', 'sent', 'served', '503', 'failed', 'slowest ms', 'by replica'])
  const samples = phases.flatMap(phase => phase.samples)
  const kinds = [...new Set(samples.map(({ kind }) => kind))].sort()
  return [
    head,
    ...phases.filter(hasSamples).map(({ name, samples: own }) => toLine([name, ...toColumns(own)])),
    '',
    ...kinds.map(kind => toLine([kind, ...toColumns(samples.filter(sample => sample.kind === kind))])),
  ].join('\n')
}

/** What was acknowledged, and what of it is there. */
export function toPromises(promises: readonly Promised[]): string {
  const head = toLine(['acknowledged', 'so many', 'kept', 'lost', 'twice'])
  const lines = promises.map(({ what, promised, kept, lost, twice }) =>
    toLine([what, ...[promised, kept, lost, twice].map(String)]),
  )
  return [head, ...lines].join('\n')
}

function hasSamples({ samples }: Phase): boolean {
  return samples.length > 0
}

function toColumns(samples: readonly Sample[]): string[] {
  const count = (verdict: Sample['verdict']) =>
    String(samples.filter(sample => sample.verdict === verdict).length)
  const slowest = samples.reduce((most, { milliseconds }) => Math.max(most, milliseconds), 0)
  const byReplica = [0, 1].map(replica => samples.filter(sample => sample.replica === String(replica)).length)
  return [
    String(samples.length),
    count('served'),
    count('unavailable'),
    count('failed'),
    slowest.toFixed(0),
    byReplica.join(' / '),
  ]
}

function toLine([name = '', ...columns]: readonly string[]): string {
  return `${name.padEnd(36)}${columns.map(column => column.padStart(13)).join('')}`
}
