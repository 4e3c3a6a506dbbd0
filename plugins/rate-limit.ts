import { createHash } from 'node:crypto'
import fastifyRateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Principal } from '../lib/identity/principal.ts'
import { type Problem, problem } from '../lib/problem/problem.ts'
import { createSharedRedis, type SharedRedis } from '../lib/redis/shared-redis.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts one request against the budget of a person and client; rejects with 429 once it is spent. */
    limitCaller(request: FastifyRequest, reply: FastifyReply, principal: Principal): Promise<void>
    /** Rejects with 429 once an address failed to authenticate too often. Counts nothing. */
    checkAddress(request: FastifyRequest): Promise<void>
    /** Counts a failed authentication against the address that the request came from. */
    countFailedAuthentication(request: FastifyRequest): Promise<void>
  }
}

export interface RateLimitOptions {
  /** Requests per minute and caller. An address may fail to authenticate a tenth as often, at least 10 times. */
  readonly max: number
  /** Where replicas count together. Null: every process counts for itself, as all do while Redis is away. */
  readonly redisUrl: string | null
  /** What replicas have in common: others that use the same Redis have budgets of their own. */
  readonly publicUrl: string
}

const window = 60_000
/** Counters kept in memory, of each kind: beyond that the least recently used ones are forgotten. */
const counters = 50_000

type Count = ReturnType<FastifyInstance['createRateLimit']>

/** The two budgets, wherever they are counted. */
interface Budgets {
  readonly caller: Count
  readonly address: Count
}

/**
 * Two budgets: one for every caller, shared by the API and /mcp, and one for every address, which is looked at
 * before a token is, so that guessing tokens does not even cost a verification.
 */
export const rateLimit = fp(
  async (app: FastifyInstance, { max, redisUrl, publicUrl }: RateLimitOptions) => {
    const callers = new WeakMap<FastifyRequest, string>()
    const redis = redisUrl === null ? null : createSharedRedis(redisUrl, app.log)
    const own = await createBudgets({ cache: counters })
    const shared = redis && (await createBudgets({ redis: redis.client, nameSpace: toNameSpace(publicUrl) }))
    if (redis) closeWith(app, redis)

    app.decorate('limitCaller', async (request, reply, principal) => {
      callers.set(request, JSON.stringify([principal.id, principal.clientId]))
      const budget = await count('caller', request)
      if (budget.isAllowed) return
      reply.headers({
        'x-ratelimit-limit': budget.max,
        'x-ratelimit-remaining': budget.remaining,
        'x-ratelimit-reset': budget.ttlInSeconds,
      })
      if (budget.isExceeded) {
        throw toRateLimited(`More than ${budget.max} requests within a minute.`, budget.ttlInSeconds)
      }
    })

    app.decorate('checkAddress', async request => {
      const budget = await count('address', request, { increment: false })
      if (!budget.isAllowed && budget.remaining === 0) {
        throw toRateLimited('Too many requests from this address without a valid token.', budget.ttlInSeconds)
      }
    })

    app.decorate('countFailedAuthentication', async request => {
      await count('address', request)
    })

    async function count(budget: keyof Budgets, ...args: Parameters<Count>): ReturnType<Count> {
      const together = shared && (await redis?.attempt(() => shared[budget](...args)))
      return together ?? own[budget](...args)
    }

    /** The library takes one store for all that is registered with it, hence a scope for each. */
    async function createBudgets(store: { cache: number } | { redis: unknown; nameSpace: string }) {
      const budgets: Budgets[] = []
      await app.register(async scope => {
        await scope.register(fastifyRateLimit, { global: false, ...store })
        budgets.push({
          caller: scope.createRateLimit({
            max,
            timeWindow: window,
            keyGenerator: request => `caller ${callers.get(request) ?? ''}`,
          }),
          address: scope.createRateLimit({
            max: Math.max(10, Math.floor(max / 10)),
            timeWindow: window,
            keyGenerator: request => `address ${fastifyRateLimit.normalizeIP(request.ip)}`,
          }),
        })
      })
      const [created] = budgets
      if (!created) throw new Error('the rate limits were not created')
      return created
    }
  },
  { name: 'rate-limit' },
)

function closeWith(app: FastifyInstance, redis: SharedRedis): void {
  // The first requests are to find it connected, if it is there.
  app.addHook('onReady', () => redis.settled())
  app.addHook('onClose', async () => redis.close())
}

function toNameSpace(publicUrl: string): string {
  return `kobana-limits-${createHash('sha256').update(publicUrl).digest('hex').slice(0, 16)}-`
}

function toRateLimited(detail: string, seconds: number): Problem {
  return problem('rate_limited', `${detail} Try again in ${seconds} seconds.`, {
    headers: { 'retry-after': String(seconds) },
  })
}
