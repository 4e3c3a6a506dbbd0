import type { Measured } from './measure.ts'

export function printTitle(text: string): void {
  process.stdout.write(`\n## ${text}\n\n`)
}

/** A row for each contender; the first is what the others are a share of. Returns the rows. */
export function printTable(rows: readonly Measured[]): readonly Measured[] {
  const columns = ['way', 'calls/s', 'p50 ms', 'p99 ms', 'share', 'CPU µs/call', 'CPU share']
  const cells = rows.map(({ name, throughput, p50, p99, share, cpuMicroseconds, cpuShare }) => [
    name,
    throughput.toFixed(0),
    p50.toFixed(3),
    p99.toFixed(3),
    share.toFixed(2),
    cpuMicroseconds.toFixed(0),
    cpuShare.toFixed(2),
  ])
  for (const row of [columns, ...cells])
    process.stdout.write(
      `${row.map((cell, index) => (index === 0 ? cell.padEnd(28) : cell.padStart(12))).join('')}\n`,
    )
  process.stdout.write('\n')
  return rows
}

export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit?: string
  /** What is wanted; absent: it is only told. */
  readonly atLeast?: number
  readonly atMost?: number
}

/** One figure, with what is wanted of it and whether it holds. */
export function printFigure({ name, value, unit = '', atLeast, atMost }: Figure): void {
  const isHeld =
    value >= (atLeast ?? Number.NEGATIVE_INFINITY) && value <= (atMost ?? Number.POSITIVE_INFINITY)
  const limit = atLeast === undefined ? atMost : atLeast
  const wanted =
    limit === undefined ? '' : `, wanted at ${atLeast === undefined ? 'most' : 'least'} ${limit}${unit}`
  const verdict = limit === undefined ? '' : isHeld ? ': holds' : ': DOES NOT HOLD'
  process.stdout.write(`- ${name}: ${value.toFixed(2)}${unit}${wanted}${verdict}\n`)
}
