import { measure, toContender } from '../measure.ts'
import { printFigure, printTable, printTitle } from '../print.ts'
import type { Settings } from '../settings.ts'
import { ask, toRpc } from '../target.ts'
import { withServers } from './with-servers.ts'

/** A call among many tools. The SDKs register all of them for every request, so that they stop at 500. */
export async function compareSizes(settings: Settings): Promise<void> {
  printTitle('tools/call, by the number of tools')
  const sizes = [1, 10, 100, 500, 1_000]
  const wanted = sizes.flatMap(tools => [['direct', tools] as const, ['inject', tools] as const])
  const others = [1, 10, 100, 500].flatMap(tools => [['sdk-v2', tools] as const, ['sdk-v1', tools] as const])
  await withServers([['rest'], ...wanted, ...others], async servers => {
    const rows = await measure(servers.map(toContender), settings)
    printTable(rows)
    const of = (name: string) => rows.find(row => row.name === name)
    for (const way of ['direct', 'inject']) {
      const value = (of(`${way}, 1000 tools`)?.share ?? Number.NaN) / (of(way)?.share ?? Number.NaN)
      printFigure({ name: `${way}, 1,000 tools, share of one tool`, value, atLeast: 0.95 })
    }
    const many = (way: string) => of(`${way}, 500 tools`)?.share ?? Number.NaN
    const best = Math.max(many('sdk-v1'), many('sdk-v2'))
    printFigure({
      name: 'inject, 500 tools, times the better SDK',
      value: many('inject') / best,
      atLeast: 15,
    })
    printFigure({
      name: 'direct, 500 tools, times the better SDK',
      value: many('direct') / best,
      atLeast: 40,
    })
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
