import { type Load, load } from './load.ts'
import type { Settings } from './settings.ts'
import type { BenchServer } from './start-server.ts'
import { type Target, toCall } from './target.ts'

export interface Contender {
  readonly name: string
  readonly server: BenchServer
  readonly target: Target
}

export interface Measured extends Omit<Load, 'calls'> {
  readonly name: string
  /** Processor time that the server used for one call. */
  readonly cpuMicroseconds: number
  /** Of the first contender, within the same round: throughput, and the other way round processor time. */
  readonly share: number
  readonly cpuShare: number
}

export function toContender(server: BenchServer): Contender {
  return { name: server.name, server, target: toCall(server) }
}

/**
 * Loads the contenders in turn, round after round, so that a slow moment of the machine falls on all alike, once all of
 * them are warm. Shares are taken within each round; what is returned is the median of every figure.
 */
export async function measure(
  contenders: readonly Contender[],
  settings: Settings,
): Promise<readonly Measured[]> {
  const { rounds, seconds, connections } = settings
  for (const { server, target } of contenders) {
    await warm({ ...server, target, connections, seconds }, settings)
  }
  const all: Measured[][] = []
  for (let round = 0; round < rounds; round++) {
    const results: Measured[] = []
    for (const { name, server, target } of contenders) {
      const { cpuMicroseconds: before } = await server.usage()
      const { calls, ...result } = await load({ ...server, target, connections, seconds })
      const cpuMicroseconds = ((await server.usage()).cpuMicroseconds - before) / calls
      const [first] = results
      const share = first ? result.throughput / first.throughput : 1
      const cpuShare = first ? first.cpuMicroseconds / cpuMicroseconds : 1
      results.push({ name, ...result, cpuMicroseconds, share, cpuShare })
    }
    all.push(results)
  }
  return contenders.map(({ name }, index) =>
    toMedians(
      name,
      all.flatMap(results => results[index] ?? []),
    ),
  )
}

/** V8 optimizes what has run often: until it has, a call of much code is measured against one of little. */
export async function warm(
  options: Parameters<typeof load>[0],
  { warmUp, warmUpSeconds }: Settings,
): Promise<void> {
  const end = performance.now() + warmUpSeconds * 1_000
  let calls = 0
  do calls += (await load(options)).calls
  while (calls < warmUp && performance.now() < end)
}

function toMedians(name: string, rounds: readonly Measured[]): Measured {
  const of = (figure: Exclude<keyof Measured, 'name'>) => median(rounds.map(round => round[figure]))
  return {
    name,
    throughput: of('throughput'),
    p50: of('p50'),
    p99: of('p99'),
    cpuMicroseconds: of('cpuMicroseconds'),
    share: of('share'),
    cpuShare: of('cpuShare'),
  }
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}
