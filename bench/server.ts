/** The process under load: listens on a free loopback port, says where, and what it has used. Ends with its parent. */
import { createBenchApp, type Way } from './bench-app.ts'

const [way = 'rest', tools = '1'] = process.argv.slice(2)
const startedAt = performance.now()
const { app, token } = await createBenchApp(way as Way, Number(tools))
const bootMilliseconds = performance.now() - startedAt
const url = await app.listen({ host: '127.0.0.1', port: 0 })
process.send?.({ url, token, bootMilliseconds })
process.on('message', wanted => {
  if (wanted === 'memory') globalThis.gc?.()
  // Three times: what survives two of them has come into the old generation.
  if (wanted === 'kept') for (let time = 0; time < 3; time++) globalThis.gc?.({ type: 'minor' })
  const { rss, heapUsed } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  process.send?.({ cpuMicroseconds: user + system, rss, heapUsed })
})
process.on('disconnect', () => process.exit(0))
