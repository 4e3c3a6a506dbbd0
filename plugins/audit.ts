import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { z } from 'zod'
import { createEventQueue } from '../lib/audit/event-queue.ts'
import type { NewAuditEvent } from '../lib/audit/new-event.ts'
import { recordEvents } from '../lib/audit/record-events.ts'
import { toClient } from '../lib/audit/to-client.ts'
import { toResource } from '../lib/audit/to-resource.ts'
import { findMembership } from '../lib/identity/permissions.ts'
import type { DispatchedCall, UnreachedCall } from './mcp/declarations.ts'
import { sendAfter } from './send-after.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Records the answer that is about to leave, unless it is recorded or needs not to be. Returns at once. */
    auditAnswer(request: FastifyRequest, reply: FastifyReply, payload: unknown): void
    /** Records a tool call whose route did not run, because POST /mcp answered by itself. Returns at once. */
    auditUnreached(call: UnreachedCall, request: FastifyRequest): void
    /** Resolves when everything answered so far is recorded. */
    auditSettled(): Promise<void>
  }
}

type Ending = Pick<NewAuditEvent, 'outcome' | 'code' | 'status'>

/**
 * Who did what, through what, with what outcome: of every request that writes and every tool call, from the moment
 * on that it is known who asks. The event of what was done stands in the transaction that did it. Register it
 * before anything that ends transactions.
 */
export const audit = fp(
  async (app: FastifyInstance) => {
    const recorded = new WeakSet<FastifyRequest>()
    const queue = createEventQueue(app.database, {
      // The answer has left or is leaving: the log is the only place left to say it.
      onError: (err, events) => app.log.error({ err, events }, 'audit events were not recorded'),
    })

    app.addHook('onSend', (request, reply, payload, done) => {
      const transaction = app.transactionOf(request)
      const event = transaction && reply.statusCode < 400 ? toEvent(app, { request, reply, payload }) : null
      if (!transaction || !event) return done(null, payload)
      const recording = recordEvents(transaction.trx, [event]).then(() => void recorded.add(request))
      // What cannot be recorded does not happen.
      sendAfter(recording, { request, reply, payload, done }, 'a write could not be recorded')
    })

    app.decorate('auditAnswer', (request, reply, payload) => {
      // Recorded with a success that then could not be committed: the event went with it.
      if (recorded.has(request) && reply.statusCode < 400) return
      const event = toEvent(app, { request, reply, payload })
      if (event) queue.add(event)
    })
    app.decorate('auditUnreached', (call, request) => {
      const event = toUnreachedEvent(app, call, request)
      if (event) queue.add(event)
    })
    app.decorate('auditSettled', () => queue.drain())
    app.addHook('onClose', () => queue.drain())
  },
  { name: 'audit', dependencies: ['errors', 'transactions', 'agent-interface'] },
)

/** Records what stands in no transaction. Register it after everything that may still change the answer. */
export const auditAnswers = fp(
  async (app: FastifyInstance) => {
    // Not onResponse, which does not come where the client has left before its refusal.
    app.addHook('onSend', (request, reply, payload, done) => {
      app.auditAnswer(request, reply, payload)
      app.hasAnswered(request)
      done(null, payload)
    })
    // What is registered last closes first: nothing that a request still needs is closed yet.
    app.addHook('onClose', () => app.allAnswered())
  },
  { name: 'audit-answers', dependencies: ['audit', 'transaction-ends', 'graceful-close'] },
)

interface Answered {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly payload: unknown
}

/**
 * Null for what is not recorded: reads over REST, what only serves another call, what the endpoint still has to decide,
 * and whom nobody knows.
 */
function toEvent(app: FastifyInstance, { request, reply, payload }: Answered): NewAuditEvent | null {
  const { mcp, routeOptions } = request
  const principal = app.principalOf(request)
  if (!principal || !routeOptions.config.scopes || !(mcp ? isCall(mcp) : app.isWrite(request))) return null
  if (mcp?.mode === 'check' && reply.statusCode < 400) return null
  const body = typeof payload === 'string' ? payload : null
  const location = reply.statusCode === 201 ? reply.getHeader('location') : undefined
  const ending = toEnding(reply.statusCode, body, mcp)
  return {
    organizationId: principal.organizationId,
    workspaceId: app.tenantOf(request)?.workspaceId ?? null,
    actorId: principal.id,
    clientId: principal.clientId,
    client: toClient(mcp?.client ?? null, request.headers['user-agent']),
    via: mcp ? 'mcp' : 'rest',
    action: routeOptions.schema?.operationId ?? `${request.method} ${routeOptions.url}`,
    resource: toResource({
      params: request.params,
      location: typeof location === 'string' ? location : null,
      body: ending.outcome === 'succeeded' ? body : null,
    }),
    outcome: ending.outcome,
    code: ending.code,
    status: ending.status,
    replayed: reply.getHeader('idempotency-replayed') === 'true',
    counts: null,
    requestId: String(request.id),
  }
}

function toUnreachedEvent(
  app: FastifyInstance,
  { tool, code, status, params, client, caller: { principal }, requestId }: UnreachedCall,
  request: FastifyRequest,
): NewAuditEvent | null {
  if (!principal) return null
  const { id, clientId, organizationId } = principal
  // As the client names it, which may be another's: what is not theirs is not written down.
  const named = findMembership(principal, app.workspaceOf(principal, request))
  return {
    organizationId,
    workspaceId: named?.workspaceId ?? null,
    actorId: id,
    clientId,
    client: toClient(client, request.headers['user-agent']),
    via: 'mcp',
    action: tool,
    resource: toResource({ params, location: null, body: null }),
    outcome: status >= 500 ? 'failed' : 'refused',
    code,
    status,
    replayed: false,
    counts: null,
    requestId,
  }
}

/** What shows a record before a question, or completes what somebody types, is part of another call. */
function isCall({ purpose }: DispatchedCall): boolean {
  return purpose === 'call' || purpose === 'resource'
}

/** A call that was let in without its arguments is refused by the endpoint, because of these. */
function toEnding(status: number, body: string | null, mcp: DispatchedCall | null): Ending {
  if (status >= 500) return { outcome: 'failed', code: toCode(body), status }
  if (status >= 400) return { outcome: 'refused', code: toCode(body), status }
  if (mcp?.mode === 'admit') return { outcome: 'refused', code: 'validation_failed', status: 400 }
  return { outcome: 'succeeded', code: null, status }
}

const problemBody = z.looseObject({ code: z.string() })

function toCode(body: string | null): string | null {
  try {
    return problemBody.safeParse(JSON.parse(body ?? '')).data?.code ?? null
  } catch {
    return null
  }
}
