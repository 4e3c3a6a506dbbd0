import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { OpenTransaction, Scope, Work } from '../lib/database/database.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Runs `work` in a transaction that sees what the request acts on: its workspace, or its organization on
     * an organization's route. It is committed when `work` resolves and rolled back when it rejects; except
     * that a request with an idempotency key has one transaction for all of it, which ends with the answer.
     * One at a time: never inside another, nor beside another.
     */
    transact<T>(work: Work<T>): Promise<T>
    /** Opens the transaction in which all further work of this request happens. Whoever opens it ends it. */
    openTransaction(): Promise<OpenTransaction>
  }
}

/** The request's unit of work. Handlers reach the database through nothing else. */
export const transactions = fp(
  async (app: FastifyInstance) => {
    const open = new WeakMap<FastifyRequest, OpenTransaction>()

    app.decorateRequest('transact', async function <T>(this: FastifyRequest, work: Work<T>): Promise<T> {
      const transaction = open.get(this)
      if (transaction) return workWithin(transaction, work)
      const scope = toScope(this)
      if (scope.kind === 'tenant') return app.database.inTenant(scope.tenant, work)
      return app.database.inOrganization(scope.organizationId, work)
    })

    app.decorateRequest('openTransaction', async function (this: FastifyRequest) {
      const transaction = await app.database.begin(toScope(this))
      open.set(this, transaction)
      return transaction
    })
  },
  { name: 'transactions', dependencies: ['services', 'tenancy'] },
)

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
