import { load } from '../load.ts'
import { measure, toContender } from '../measure.ts'
import { printFigure, printTable, printTitle } from '../print.ts'
import type { Settings } from '../settings.ts'
import { ask, toCall } from '../target.ts'
import { withServers } from './with-servers.ts'

/** The same bytes twice, as text and as structured content, against once: 2025-03-26 has text alone. */
export async function compareStructured(settings: Settings): Promise<void> {
  printTitle('Structured content against text alone')
  await withServers([['direct']], async ([server]) => {
    if (!server) return
    const contenders = (['2025-03-26', '2025-06-18'] as const).map(version => ({
      name: version === '2025-03-26' ? 'text alone' : 'with structured content',
      server,
      target: toCall(server, version),
    }))
    const answers = await Promise.all(contenders.map(({ target }) => ask(server.url, server.token, target)))
    const structured = answers.map(answer => JSON.parse(answer).result.structuredContent !== undefined)
    if (structured[0] || !structured[1]) throw new Error('the two answers are not what they should be')
    const rows = await measure(contenders, settings)
    printTable(rows)
    printFigure({ name: 'share of text alone', value: rows[1]?.share ?? Number.NaN, atLeast: 0.94 })
  })
}

/** Memory after garbage was collected, while the server is under load, with and without the plugin. */
export async function compareMemory(settings: Settings): Promise<void> {
  printTitle('Memory under load')
  await withServers([['rest'], ['direct']], async servers => {
    const used: { rss: number; heap: number }[] = []
    for (const server of servers) {
      const { target } = toContender(server)
      const options = { ...server, target, connections: settings.connections }
      await load({ ...options, seconds: settings.seconds })
      const samples: { rss: number; heap: number }[] = []
      const running = load({ ...options, seconds: settings.seconds * 2 })
      for (let sample = 0; sample < 5; sample++) {
        await new Promise(resolve => setTimeout(resolve, settings.seconds * 300))
        const { rss, heapUsed } = await server.memory()
        samples.push({ rss: rss / 1e6, heap: heapUsed / 1e6 })
      }
      await running
      const most = (figure: 'rss' | 'heap') => Math.max(...samples.map(sample => sample[figure]))
      used.push({ rss: most('rss'), heap: most('heap') })
      const name = server.way === 'rest' ? 'without the plugin' : 'with the plugin'
      printFigure({ name: `${name}, RSS`, value: most('rss'), unit: ' MB' })
      printFigure({ name: `${name}, heap`, value: most('heap'), unit: ' MB' })
    }
    const [without, with_] = used
    if (!without || !with_) return
    printFigure({
      name: 'what the plugin adds, RSS',
      value: with_.rss - without.rss,
      unit: ' MB',
      atMost: 10,
    })
    printFigure({
      name: 'what the plugin adds, heap',
      value: with_.heap - without.heap,
      unit: ' MB',
      atMost: 10,
    })
  })
}

const callsKept = 500

/** What calls leave behind until the next full collection, which a server under load does far more rarely than minor ones. */
export async function compareKept({ connections, seconds }: Settings): Promise<void> {
  printTitle('What a call leaves until the next full collection')
  await withServers([['rest'], ['direct'], ['inject'], ['sdk-v2'], ['sdk-v1']], async servers => {
    for (const server of servers) {
      const { target, name } = toContender(server)
      await load({ ...server, target, connections, seconds })
      await server.memory()
      const { heapUsed: before } = await server.kept()
      for (let call = 0; call < callsKept; call++) await ask(server.url, server.token, target)
      const { heapUsed: after } = await server.kept()
      printFigure({ name, value: (after - before) / callsKept / 1_000, unit: ' KB' })
    }
  })
}
