import { createHash } from 'node:crypto'
import fastifyRateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Principal } from '../lib/identity/principal.ts'
import { type Problem, problem } from '../lib/problem/problem.ts'
import { createSharedRedis, type SharedRedis } from '../lib/redis/shared-redis.ts'
import { type Budget, fixedBudgets, minute } from './rate-limit-budgets.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts one request against the budget of a person and client; rejects with 429 once it is spent. */
    limitCaller(request: FastifyRequest, reply: FastifyReply, principal: Principal): Promise<void>
    /** Rejects with 429 once an address failed to authenticate too often. Counts nothing. */
    checkAddress(request: FastifyRequest): Promise<void>
    /** Counts a failed authentication against the address that the request came from. */
    countFailedAuthentication(request: FastifyRequest): Promise<void>
    /** Counts one attempt to log in with a password; rejects with 429 once there were too many. */
    limitLogin(request: FastifyRequest, attempt: LoginAttempt): Promise<void>
    /** Counts a login that an address begins, of which a record is kept; rejects with 429 as above. */
    limitFlows(request: FastifyRequest): Promise<void>
    /** Counts one request of an address to the token endpoint, or for the like; rejects with 429 as above. */
    limitTokens(request: FastifyRequest): Promise<void>
    /** Counts a client that an address has this server get to know; rejects with 429 as above. */
    limitClients(request: FastifyRequest): Promise<void>
  }
}

export interface LoginAttempt {
  /** Whose account, as it was typed, in lower case. Whether there is one makes no difference. */
  readonly account: string
  /** Whether the browser has logged in to it before: strangers cannot spend the budget of those that have. */
  readonly isKnown: boolean
}

export interface RateLimitOptions {
  /** Requests per minute and caller. An address may fail to authenticate a tenth as often, at least 10 times. */
  readonly max: number
  /** Where replicas count together. Null: every process counts for itself, as all do while Redis is away. */
  readonly redisUrl: string | null
  /** What replicas have in common: others that use the same Redis have budgets of their own. */
  readonly publicUrl: string
}

/** Counters kept in memory, of each kind: beyond that the least recently used ones are forgotten. */
const counters = 50_000

type Count = ReturnType<FastifyInstance['createRateLimit']>

/** Who or what a request counts against, by the name of the budget; each is set before it is counted. */
type Keys = ReadonlyMap<string, string>

type BudgetName = 'caller' | 'address' | keyof typeof fixedBudgets

/**
 * A budget for every caller, shared by the API and /mcp, and one for every address, which is looked at before a token
 * is, so that guessing tokens does not even cost a verification. Those of the authorization server are apart.
 */
export const rateLimit = fp(
  async (app: FastifyInstance, { max, redisUrl, publicUrl }: RateLimitOptions) => {
    const keys = new WeakMap<FastifyRequest, Keys>()
    const redis = redisUrl === null ? null : createSharedRedis(redisUrl, app.log)
    const limits: Record<BudgetName, Budget> = {
      caller: { max, timeWindow: minute },
      address: { max: Math.max(10, Math.floor(max / 10)), timeWindow: minute },
      ...fixedBudgets,
    }
    const own = await createBudgets({ cache: counters })
    const shared = redis && (await createBudgets({ redis: redis.client, nameSpace: toNameSpace(publicUrl) }))
    if (redis) closeWith(app, redis)

    app.decorate('limitCaller', async (request, reply, principal) => {
      const key = JSON.stringify([principal.id, principal.clientId])
      const budget = await count('caller', request, { key })
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
      const budget = await count('address', request, { key: toAddress(request), increment: false })
      if (!budget.isAllowed && budget.remaining === 0) {
        throw toRateLimited('Too many requests from this address without a valid token.', budget.ttlInSeconds)
      }
    })

    app.decorate('countFailedAuthentication', async request => {
      await count('address', request, { key: toAddress(request) })
    })

    // Attempts and not failures: whether one fails is known only when others have long begun.
    app.decorate('limitLogin', async (request, { account, isKnown }) => {
      const address = toAddress(request)
      const detail = 'Too many attempts to log in.'
      await spend('login of address', request, { key: address, detail })
      await spend('login of account and address', request, {
        key: JSON.stringify([account, address]),
        detail,
      })
      if (!isKnown) await spend('login of account', request, { key: account, detail })
    })

    app.decorate('limitFlows', request =>
      spend('flows', request, {
        key: toAddress(request),
        detail: 'Too many logins were begun from this address.',
      }),
    )

    app.decorate('limitTokens', request =>
      spend('tokens', request, { key: toAddress(request), detail: 'Too many requests from this address.' }),
    )

    app.decorate('limitClients', request =>
      spend('clients', request, {
        key: toAddress(request),
        detail: 'Too many new clients from this address.',
      }),
    )

    async function spend(
      name: BudgetName,
      request: FastifyRequest,
      { key, detail }: { key: string; detail: string },
    ): Promise<void> {
      const budget = await count(name, request, { key })
      if (!budget.isAllowed && budget.isExceeded) throw toRateLimited(detail, budget.ttlInSeconds)
    }

    async function count(
      name: BudgetName,
      request: FastifyRequest,
      { key, ...options }: { readonly key: string; readonly increment?: boolean },
    ): ReturnType<Count> {
      keys.set(request, new Map([...(keys.get(request) ?? []), [name, key]]))
      const together = shared && (await redis?.attempt(() => shared(name)(request, options)))
      return together ?? own(name)(request, options)
    }

    /** The library takes one store for all that is registered with it, hence a scope for each. */
    async function createBudgets(store: { cache: number } | { redis: unknown; nameSpace: string }) {
      const budgets = new Map<string, Count>()
      const find = (name: BudgetName): Count => {
        const budget = budgets.get(name)
        if (!budget) throw new Error(`the rate limit ${name} was not created`)
        return budget
      }
      await app.register(async scope => {
        await scope.register(fastifyRateLimit, { global: false, ...store })
        for (const [name, { max, timeWindow }] of Object.entries(limits)) {
          const keyGenerator = (request: FastifyRequest) => `${name} ${keys.get(request)?.get(name) ?? ''}`
          budgets.set(name, scope.createRateLimit({ max, timeWindow, keyGenerator }))
        }
      })
      return find
    }
  },
  { name: 'rate-limit' },
)

function closeWith(app: FastifyInstance, redis: SharedRedis): void {
  // The first requests are to find it connected, if it is there.
  app.addHook('onReady', () => redis.settled())
  app.addHook('onClose', async () => redis.close())
}

/**
 * A connection that was reset before anybody asked has no address any more, whatever the types say. Whoever does that
 * waits for no answer and spends the budget of all who do, so that it opens no other one.
 */
function toAddress(request: FastifyRequest): string {
  const address: string | undefined = request.ip
  return address === undefined ? 'gone' : fastifyRateLimit.normalizeIP(address)
}

function toNameSpace(publicUrl: string): string {
  return `kobana-limits-${createHash('sha256').update(publicUrl).digest('hex').slice(0, 16)}-`
}

function toRateLimited(detail: string, seconds: number): Problem {
  return problem('rate_limited', `${detail} Try again in ${seconds} seconds.`, {
    headers: { 'retry-after': String(seconds) },
  })
}
