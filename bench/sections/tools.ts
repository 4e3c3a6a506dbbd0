import type { Way } from '../bench-app.ts'
import { type Measured, measure, toContender } from '../measure.ts'
import { printFigure, printTable, printTitle } from '../print.ts'
import type { Settings } from '../settings.ts'
import { ask, toRpc } from '../target.ts'
import { withServers } from './with-servers.ts'

/**
 * A call among many tools. The SDKs register all of them for every request, so that they stop at 500. They collect their
 * garbage on a processor of its own, which throughput does not count: what 500 tools cost is compared by both.
 */
export async function compareSizes(settings: Settings): Promise<void> {
  const direct = await compareSizesOf('direct', [1, 10, 100, 500, 1_000], settings)
  const inject = await compareSizesOf('inject', [1, 10, 100, 500, 1_000], settings)
  const v2 = await compareSizesOf('sdk-v2', [1, 10, 100, 500], settings)
  const v1 = await compareSizesOf('sdk-v1', [1, 10, 100, 500], settings)
  const best = (by: By) => Math.max(at(v1, 500)[by], at(v2, 500)[by])
  for (const [way, sizes, atLeast] of [['inject', inject, 15] as const, ['direct', direct, 40] as const]) {
    const times = (by: By) => at(sizes, 500)[by] / best(by)
    const name = `${way}, 500 tools, times the better SDK`
    printFigure({ name: `${name}, by processor time`, value: times('cpuShare'), atLeast })
    printFigure({ name: `${name}, by throughput`, value: times('share'), atLeast })
  }
}

/** The same of the plugin alone, and of two sizes: twice as many processes of each even out more of what they differ by. */
export async function compareLarge(settings: Settings): Promise<void> {
  for (const way of ['direct', 'inject'] as const) {
    const sizes = await compareSizesOf(way, [1, 1_000], { ...settings, processes: settings.processes * 2 })
    const share = (by: By) => at(sizes, 1_000)[by] / at(sizes, 1)[by]
    const name = `${way}, 1,000 tools, share of one tool`
    printFigure({ name, value: share('share'), atLeast: 0.95 })
    printFigure({ name: `${name}, by processor time`, value: share('cpuShare') })
  }
}

type Shares = Pick<Measured, 'share' | 'cpuShare'>
type By = keyof Shares

function at(sizes: ReadonlyMap<number, Shares>, tools: number): Shares {
  return sizes.get(tools) ?? { share: Number.NaN, cpuShare: Number.NaN }
}

/**
 * The shares of REST by the number of tools; one way at a time, since every server is a process. Several for each size, in
 * the order of their sizes and the other way round: processes of the same program differ by several percent as long as they
 * live, and by when they were started.
 */
async function compareSizesOf(
  way: Way,
  sizes: readonly number[],
  settings: Settings,
): Promise<ReadonlyMap<number, Shares>> {
  printTitle(`tools/call by the number of tools, ${way}`)
  const turns = Array.from({ length: settings.processes }, (_, turn) =>
    turn % 2 === 0 ? sizes : sizes.toReversed(),
  )
  const order = turns.flat()
  return withServers([['rest'], ...order.map(tools => [way, tools] as const)], async servers => {
    const [, ...rows] = printTable(await measure(servers.map(toContender), settings))
    return new Map(
      sizes.map(tools => {
        const alike = rows.filter((_, index) => order[index] === tools)
        const mean = (by: By) => alike.reduce((sum, row) => sum + row[by], 0) / alike.length
        return [tools, { share: mean('share'), cpuShare: mean('cpuShare') }]
      }),
    )
  })
}

/** The list of 500 tools, in one page. */
export async function compareLists(settings: Settings): Promise<void> {
  printTitle('tools/list of 500 tools, one connection')
  await withServers(
    [
      ['direct', 500],
      ['sdk-v2', 500],
      ['sdk-v1', 500],
      ['constant', 500],
    ],
    async servers => {
      const contenders = servers.map(server => ({
        name: server.name,
        server,
        target: toRpc('tools/list', {}, server.way === 'sdk-v1' ? '2025-06-18' : '2026-07-28'),
      }))
      for (const { name, server, target } of contenders) {
        const { result } = JSON.parse(await ask(server.url, server.token, target))
        if (result?.tools?.length !== 500) throw new Error(`${name} does not list 500 tools`)
      }
      const rows = await measure(contenders, { ...settings, connections: 1 })
      printTable(rows)
      printFigure({ name: 'direct, p50', value: rows[0]?.p50 ?? Number.NaN, unit: ' ms', atMost: 0.5 })
      const name = 'a POST that answers the same bytes, p50'
      printFigure({ name, value: rows[3]?.p50 ?? Number.NaN, unit: ' ms' })
    },
  )
}

/** How long a server with so many routes takes until it is ready, without and with the plugin. */
export async function compareBoots(): Promise<void> {
  printTitle('Boot with 1,000 tools')
  for (const way of ['rest', 'direct'] as const) {
    await withServers([[way, 1_000]], async ([server]) => {
      const limit = way === 'direct' ? { atMost: 3 } : {}
      const value = (server?.bootMilliseconds ?? Number.NaN) / 1_000
      printFigure({
        name: way === 'rest' ? 'without the plugin' : 'with the plugin',
        value,
        unit: ' s',
        ...limit,
      })
    })
  }
}
