import { measure, toContender } from '../measure.ts'
import { printFigure, printTable, printTitle } from '../print.ts'
import type { Settings } from '../settings.ts'
import { withServers } from './with-servers.ts'

/** One tool: every way as a share of REST. */
export async function compareWays(settings: Settings): Promise<void> {
  printTitle('One list route in memory, 3 KB, every way')
  const ways = ['rest', 'direct', 'inject', 'sdk-v2', 'sdk-v1', 'sdk-v2-loopback'] as const
  await withServers(
    ways.map(way => [way] as const),
    async servers => {
      const rows = await measure(servers.map(toContender), settings)
      printTable(rows)
      const share = (name: string) => rows.find(row => row.name === name)?.share ?? Number.NaN
      const p99 = (name: string) => rows.find(row => row.name === name)?.p99 ?? Number.NaN
      printFigure({ name: 'inject, share of REST', value: share('inject'), atLeast: 0.2 })
      printFigure({ name: 'direct, share of REST', value: share('direct'), atLeast: 0.45 })
      const best = Math.max(share('sdk-v1'), share('sdk-v2'))
      printFigure({ name: 'inject, times the better SDK', value: share('inject') / best, atLeast: 3 })
      printFigure({ name: 'direct, times the better SDK', value: share('direct') / best, atLeast: 7 })
      const name = `direct, p99 on ${settings.connections} connections, times REST's`
      printFigure({ name, value: p99('direct') / p99('rest'), atMost: 2.2 })
    },
  )
}

/** One connection: what a call adds where nothing else waits. */
export async function compareLatency(settings: Settings): Promise<void> {
  printTitle('One connection')
  await withServers([['rest'], ['direct'], ['inject'], ['sdk-v2']], async servers => {
    const rows = await measure(servers.map(toContender), { ...settings, connections: 1 })
    printTable(rows)
    const [rest, direct] = rows
    if (rest && direct)
      printFigure({ name: "direct, p50, times REST's", value: direct.p50 / rest.p50, atMost: 1.4 })
  })
}
