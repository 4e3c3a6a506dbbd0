import type { Way } from '../bench-app.ts'
import { type BenchServer, startServer } from '../start-server.ts'
import { checkAnswers } from '../target.ts'

/** Starts servers, checks that each answers rightly, and stops them whatever happens. */
export async function withServers<T>(
  wanted: readonly (readonly [Way, number?])[],
  work: (servers: readonly BenchServer[]) => Promise<T>,
): Promise<T> {
  const servers: BenchServer[] = []
  try {
    for (const [way, tools] of wanted) servers.push(await startServer(way, tools))
    await checkAnswers(servers)
    return await work(servers)
  } finally {
    for (const server of servers) server.stop()
  }
}
