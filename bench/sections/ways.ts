import type { Way } from '../bench-app.ts'
import { type Contender, measure, toContender } from '../measure.ts'
import { printFigure, printTable, printTitle } from '../print.ts'
import type { Settings } from '../settings.ts'
import type { BenchServer } from '../start-server.ts'
import { toCall } from '../target.ts'
import { withServers } from './with-servers.ts'

/** One tool: every way as a share of REST. */
export async function compareWays(settings: Settings): Promise<void> {
  printTitle('One list route in memory, 3 KB, every way')
  const ways = [
    'rest',
    'constant',
    'by hand',
    'direct',
    'inject',
    'sdk-v2',
    'sdk-v1',
    'sdk-v2-loopback',
  ] as const
  await withServers(
    ways.map(way => [way] as const),
    async servers => {
      const rows = await measure(servers.flatMap(toContenders), settings)
      printTable(rows)
      const share = (name: string) => rows.find(row => row.name === name)?.share ?? Number.NaN
      const p99 = (name: string) => rows.find(row => row.name === name)?.p99 ?? Number.NaN
      printFigure({ name: 'a POST that answers a constant, share of REST', value: share('constant') })
      printFigure({ name: 'direct, share of that POST', value: share('direct') / share('constant') })
      printFigure({ name: 'the tool written by hand, share of REST', value: share('by hand') })
      printFigure({ name: 'direct, share of that tool', value: share('direct') / share('by hand') })
      printFigure({ name: 'inject, share of REST', value: share('inject'), atLeast: 0.2 })
      printFigure({ name: 'direct, share of REST', value: share('direct'), atLeast: 0.45 })
      const best = Math.max(share('sdk-v1'), share('sdk-v2'))
      for (const [way, atLeast] of [['inject', 3] as const, ['direct', 7] as const]) {
        printFigure({ name: `${way}, times the better SDK`, value: share(way) / best, atLeast })
        const name = `${way}, text alone as the SDKs send it, times the better SDK`
        printFigure({ name, value: share(toTextAlone(way)) / best, atLeast })
      }
      const name = `direct, p99 on ${settings.connections} connections, times REST's`
      printFigure({ name, value: p99('direct') / p99('rest'), atMost: 2.2 })
    },
  )
}

/** The plugin twice: as clients of today are answered, with structured content, and with the text alone. */
function toContenders(server: BenchServer): readonly Contender[] {
  const whole = toContender(server)
  if (server.way !== 'direct' && server.way !== 'inject') return [whole]
  return [whole, { name: toTextAlone(server.way), server, target: toCall(server, '2025-03-26') }]
}

function toTextAlone(way: Way): string {
  return `${way}, text alone`
}

/** One connection: what a call adds where nothing else waits. */
export async function compareLatency(settings: Settings): Promise<void> {
  printTitle('One connection')
  const ways = ['rest', 'direct', 'by hand', 'inject', 'sdk-v2', 'constant'] as const
  const contenders = ways.map(way => [way] as const)
  await withServers(contenders, async servers => {
    const rows = await measure(servers.map(toContender), { ...settings, connections: 1 })
    printTable(rows)
    const p50 = (way: Way) => rows.find(row => row.name === way)?.p50 ?? Number.NaN
    printFigure({ name: "direct, p50, times REST's", value: p50('direct') / p50('rest'), atMost: 1.4 })
    const name = "a POST that answers a constant, p50, times REST's"
    printFigure({ name, value: p50('constant') / p50('rest') })
    printFigure({ name: "the tool written by hand, p50, times REST's", value: p50('by hand') / p50('rest') })
    printFigure({ name: "direct, p50, times that tool's", value: p50('direct') / p50('by hand') })
  })
}
