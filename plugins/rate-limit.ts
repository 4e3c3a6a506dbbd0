import fastifyRateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Principal } from '../lib/identity/principal.ts'
import { type Problem, problem } from '../lib/problem/problem.ts'

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
}

const window = 60_000
/** Counters kept in memory, of each kind: beyond that the least recently used ones are forgotten. */
const counters = 50_000

/**
 * Two budgets: one for every caller, shared by the API and /mcp, and one for every address, which is looked at
 * before a token is, so that guessing tokens does not even cost a verification. Counters live in the process.
 */
export const rateLimit = fp(
  async (app: FastifyInstance, { max }: RateLimitOptions) => {
    await app.register(fastifyRateLimit, { global: false, cache: counters })

    const callers = new WeakMap<FastifyRequest, string>()
    const countCaller = app.createRateLimit({
      max,
      timeWindow: window,
      keyGenerator: request => `caller ${callers.get(request) ?? ''}`,
    })
    const countAddress = app.createRateLimit({
      max: Math.max(10, Math.floor(max / 10)),
      timeWindow: window,
      keyGenerator: request => `address ${fastifyRateLimit.normalizeIP(request.ip)}`,
    })

    app.decorate('limitCaller', async (request, reply, principal) => {
      callers.set(request, JSON.stringify([principal.id, principal.clientId]))
      const budget = await countCaller(request)
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
      const budget = await countAddress(request, { increment: false })
      if (!budget.isAllowed && budget.remaining === 0) {
        throw toRateLimited('Too many requests from this address without a valid token.', budget.ttlInSeconds)
      }
    })

    app.decorate('countFailedAuthentication', async request => {
      await countAddress(request)
    })
  },
  { name: 'rate-limit' },
)

function toRateLimited(detail: string, seconds: number): Problem {
  return problem('rate_limited', `${detail} Try again in ${seconds} seconds.`, {
    headers: { 'retry-after': String(seconds) },
  })
}
