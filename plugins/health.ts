import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { problem } from '../lib/problem/problem.ts'

/** Something without which requests cannot be served. */
export interface ReadinessCheck {
  /** As it is called in the answer of /ready. */
  readonly name: string
  isReady(): Promise<boolean>
}

declare module 'fastify' {
  interface FastifyInstance {
    /** What /ready looks at; whoever builds the app may add to it at any time. */
    readiness: ReadinessCheck[]
  }
}

/** Milliseconds within which a check must answer. */
const deadline = 2000

/** `/health`: the process runs. `/ready`: it can serve requests, for load balancers. Both need no token. */
export const health = fp(
  async (app: FastifyInstance) => {
    app.decorate('readiness', [
      { name: 'server', isReady: async () => !app.isStopping() },
      { name: 'database', isReady: () => app.database.isReady() },
      { name: 'queue', isReady: () => app.jobs.isReady() },
    ])

    // Probes come every few seconds and say nothing new.
    const quiet = app.log.level === 'info' ? ({ logLevel: 'warn' } as const) : {}

    app.get('/health', quiet, async (_request, reply) => {
      reply.header('cache-control', 'no-store')
      return { status: 'ok' }
    })

    app.get('/ready', quiet, async (_request, reply) => {
      reply.header('cache-control', 'no-store')
      const results = await Promise.all(app.readiness.map(run))
      const checks = Object.fromEntries(results)
      if (results.every(([, result]) => result === 'ready')) return { status: 'ready', checks }
      // Answered and not thrown: a probe that finds what it asks for is nothing for the log to warn of.
      const body = reply.toProblemBody(
        problem('unavailable', 'Not ready: see checks.', { extra: { checks } }),
      )
      return reply.code(503).header('retry-after', '1').type('application/problem+json').send(body)
    })
  },
  { name: 'health', dependencies: ['errors', 'graceful-close', 'services'] },
)

async function run({ name, isReady }: ReadinessCheck): Promise<[string, 'ready' | 'not ready']> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>(resolve => {
    timer = setTimeout(resolve, deadline, false)
  })
  const ready = await Promise.race([isReady().catch(() => false), late])
  clearTimeout(timer)
  return [name, ready ? 'ready' : 'not ready']
}
