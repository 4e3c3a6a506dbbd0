import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { OpenTransaction, Scope, Work } from '../lib/database/database.ts'
import { problem } from '../lib/problem/problem.ts'
import { sendAfter } from './send-after.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Runs `work` in a transaction that sees what the request acts on: its workspace, or its organization on
     * an organization's route. One that reads is committed when `work` resolves. One that writes is the request's
     * own from the first `work` that resolves: it is committed with a successful answer and rolled back with any
     * other, so that what is answered, and what is recorded of it, is what has happened. A `work` that rejects is
     * undone in any case. One at a time: never inside another, nor beside another.
     */
    transact<T>(work: Work<T>): Promise<T>
    /** Opens the transaction in which all further work of this request happens. Whoever opens it ends it. */
    openTransaction(): Promise<OpenTransaction>
    /** Calls back when what the request has done is committed, and not if it never is. */
    afterCommit(callback: () => void): void
  }

  interface FastifyInstance {
    /** The transaction that holds what a request has done; null where it has done nothing, or it has ended. */
    transactionOf(request: FastifyRequest): OpenTransaction | null
    /** Whether a request may change something, and somebody answers for it. */
    isWrite(request: FastifyRequest): boolean
    /** Ends the request's own transaction as its answer has it, and rejects if it cannot commit; null if it has none. */
    endTransaction(request: FastifyRequest, status: number): Promise<void> | null
  }
}

const unsafeMethods = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
/** Milliseconds that a transaction stays open beside a handler that does not come to an end. */
const openAtMost = 60_000

/** What a request has done so far. */
interface Unit {
  readonly transaction: OpenTransaction
  hasEnded: boolean
  /** Whether the answer is on its way out. */
  isAnswering: boolean
  /** Set while the transaction is the request's own, to be ended here. */
  timer: NodeJS.Timeout | null
}

/** The request's unit of work. Handlers reach the database through nothing else. */
export const transactions = fp(
  async (app: FastifyInstance) => {
    const units = new WeakMap<FastifyRequest, Unit>()
    const callbacks = new WeakMap<FastifyRequest, (() => void)[]>()

    app.decorate('isWrite', isWrite)
    app.decorate('transactionOf', request => {
      const unit = units.get(request)
      return unit && !unit.hasEnded ? unit.transaction : null
    })

    app.decorateRequest('transact', async function <T>(this: FastifyRequest, work: Work<T>): Promise<T> {
      const unit = units.get(this)
      if (unit) return workWithin(unit.transaction, work)
      if (isWrite(this)) return workFirst(this, work)
      const scope = toScope(this)
      if (scope.kind === 'tenant') return app.database.inTenant(scope.tenant, work)
      return app.database.inOrganization(scope.organizationId, work)
    })

    app.decorateRequest('openTransaction', async function (this: FastifyRequest) {
      const { transaction } = await begin(this)
      return transaction
    })

    app.decorateRequest('afterCommit', function (this: FastifyRequest, callback: () => void) {
      callbacks.set(this, [...(callbacks.get(this) ?? []), callback])
    })

    app.decorate('endTransaction', (request, status) => {
      const unit = units.get(request)
      if (!unit?.timer) return null
      clearTimeout(unit.timer)
      unit.timer = null
      if (status >= 400) return unit.transaction.rollback()
      return unit.hasEnded ? Promise.reject(toGivenUp()) : unit.transaction.commit()
    })

    app.addHook('onSend', (request, _reply, payload, done) => {
      const unit = units.get(request)
      if (unit) unit.isAnswering = true
      done(null, payload)
    })

    // Without a body and without a client nothing is sent, and nothing would end the transaction.
    app.addHook('onRoute', route => {
      if (!route.config?.scopes || ![route.method].flat().some(method => unsafeMethods.has(method))) return
      const { handler } = route
      route.handler = async function (request, reply) {
        const payload = await handler.call(this, request, reply)
        const unit = units.get(request)
        return payload === undefined && unit?.timer && !unit.isAnswering ? reply.send() : payload
      }
    })

    async function begin(request: FastifyRequest): Promise<Unit> {
      const transaction = await app.database.begin(toScope(request))
      const tracked: OpenTransaction = {
        ...transaction,
        async commit() {
          unit.hasEnded = true
          await transaction.commit()
          for (const callback of callbacks.get(request) ?? []) callback()
        },
        async rollback() {
          if (unit.hasEnded) return
          unit.hasEnded = true
          await transaction.rollback()
        },
      }
      const unit: Unit = { transaction: tracked, hasEnded: false, isAnswering: false, timer: null }
      units.set(request, unit)
      return unit
    }

    /** Without a savepoint, which is a statement more for every write: before what fails first there is nothing. */
    async function workFirst<T>(request: FastifyRequest, work: Work<T>): Promise<T> {
      const unit = await begin(request)
      try {
        const result = await work(unit.transaction.trx)
        // A handler that hangs loses its transaction.
        unit.timer = setTimeout(() => void unit.transaction.rollback(), openAtMost).unref()
        return result
      } catch (error) {
        await unit.transaction.rollback()
        units.delete(request)
        throw error
      }
    }
  },
  { name: 'transactions', dependencies: ['services', 'tenancy'] },
)

/**
 * Ends the transaction of a request that writes, at the last moment before its answer leaves. Registered after
 * everything that still has to stand in it.
 */
export const transactionEnds = fp(
  async (app: FastifyInstance) => {
    app.addHook('onSend', (request, reply, payload, done) => {
      const ending = app.endTransaction(request, reply.statusCode)
      if (ending === null) return done(null, payload)
      sendAfter(ending, { request, reply, payload, done }, 'a request could not be concluded')
    })
  },
  { name: 'transaction-ends', dependencies: ['errors', 'transactions'] },
)

function isWrite({ method, routeOptions }: FastifyRequest): boolean {
  return unsafeMethods.has(method) && routeOptions.config.scopes !== undefined
}

/** Undone when it rejects, as a transaction of its own would be: the one around it goes on. */
async function workWithin<T>({ trx, savepoint, rollbackTo }: OpenTransaction, work: Work<T>): Promise<T> {
  await savepoint('work')
  try {
    return await work(trx)
  } catch (error) {
    await rollbackTo('work')
    throw error
  }
}

function toScope(request: FastifyRequest): Exclude<Scope, { kind: 'owner' }> {
  if (request.routeOptions.config.tenancy === 'organization') {
    return { kind: 'organization', organizationId: request.principal.organizationId }
  }
  return { kind: 'tenant', tenant: request.tenant }
}

function toGivenUp() {
  return problem('unavailable', 'The request took too long and was rolled back. Send it again.', {
    headers: { 'retry-after': '5' },
  })
}
