import { load } from '../load.ts'
import { printFigure, printTitle } from '../print.ts'
import type { Settings } from '../settings.ts'
import { toCall } from '../target.ts'
import { withServers } from './with-servers.ts'

/** Calls by the hundred thousand, with the heap after garbage was collected: a leak would be a line that rises. */
export async function soak({ calls, connections }: Settings): Promise<void> {
  printTitle(`${calls} calls, and the heap as it goes`)
  await withServers([['direct']], async ([server]) => {
    if (!server) return
    const options = { ...server, target: toCall(server), connections, seconds: 5 }
    await load(options)
    const heaps: number[] = []
    let done = 0
    while (done < calls) {
      done += (await load(options)).calls
      const { heapUsed, rss } = await server.memory()
      heaps.push(heapUsed / 1e6)
      const [heap, all] = [heapUsed / 1e6, rss / 1e6].map(megabytes => megabytes.toFixed(1))
      process.stdout.write(`${String(done).padStart(9)} calls, heap ${heap} MB, RSS ${all} MB\n`)
    }
    const third = Math.ceil(heaps.length / 3)
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
    const growth = mean(heaps.slice(-third)) - mean(heaps.slice(0, third))
    printFigure({
      name: 'growth of the heap, last third against first',
      value: growth,
      unit: ' MB',
      atMost: 1,
    })
  })
}
