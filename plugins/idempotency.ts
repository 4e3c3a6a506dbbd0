import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type Attempt, createAttempts } from '../lib/http/attempts.ts'
import { toFingerprint } from '../lib/http/fingerprint.ts'
import { type KeptAnswer, type KeyOwner, removeExpiredAnswers } from '../lib/http/kept-answers.ts'
import { type Problem, problem } from '../lib/problem/problem.ts'
import { sendAfter } from './send-after.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False where the answer is a stream, which cannot be kept, and asking again does nothing twice. */
    keepsAnswer?: boolean
  }
}

export interface IdempotencyOptions {
  /** Milliseconds that a request waits for its twin. Default 20,000. */
  readonly patience?: number
  /** Milliseconds after which an unfinished request loses its transaction. Default 60,000. */
  readonly openAtMost?: number
}

/** What came with the request: its key, and query and body before validation. */
interface Sent {
  readonly key: string
  readonly query: unknown
  readonly body: unknown
}

const unsafeMethods = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
const keptHeaders = ['content-type', 'location', 'etag'] as const
/** Milliseconds between two removals of what is past its time. */
const cleaningInterval = 600_000

/**
 * `Idempotency-Key`: the whole request is one transaction that ends with the answer, so that the effect and
 * the kept answer exist together or not at all. What has the same key waits for it and is answered the same.
 */
export const idempotency = fp(
  async (app: FastifyInstance, { patience = 20_000, openAtMost = 60_000 }: IdempotencyOptions) => {
    const keyed = new WeakMap<FastifyRequest, Sent>()
    const running = new WeakMap<FastifyRequest, Attempt>()
    const attempts = createAttempts({
      patience,
      openAtMost,
      secretBox: app.secretBox,
      onError: err => app.log.error({ err }, 'a transaction could not be rolled back'),
    })

    // Before validation replaces query and body: what is compared is what was sent.
    app.addHook('preValidation', (request, _reply, done) => {
      const { method, query, body, routeOptions } = request
      const header = request.headers['idempotency-key']
      if (header !== undefined && unsafeMethods.has(method) && keepsAnswers(routeOptions.config))
        keyed.set(request, { key: checkKey(header), query, body })
      done()
    })

    // The last moment before bytes leave: what is answered has happened.
    app.addHook('onSend', (request, reply, payload, done) => {
      const attempt = running.get(request)
      if (!attempt) return done(null, payload)
      running.delete(request)
      const ending = attempt.end(toAnswer(reply, payload))
      sendAfter(ending, { request, reply, payload, done }, 'an idempotent request could not be concluded')
    })

    // In place of the handler, when everything that may refuse the request has passed; and so before If-Match and
    // existence, which handlers decide. What never comes to its handler leaves nothing behind.
    app.addHook('onRoute', route => {
      const isUnsafe = [route.method].flat().some(method => unsafeMethods.has(method))
      if (!isUnsafe || !route.config?.scopes) return
      const { handler } = route
      route.handler = async function (request, reply) {
        const sent = keyed.get(request)
        if (!sent) return handler.call(this, request, reply)
        const kept = await begin(request, sent)
        if (kept) return replay(reply, kept)
        const payload = await handler.call(this, request, reply)
        // Without a body and without a client nothing is sent, and no onSend would end the transaction.
        return payload === undefined && running.has(request) ? reply.send() : payload
      }
    })

    const cleaning = setInterval(() => {
      removeExpiredAnswers(app.database).catch(err =>
        app.log.warn({ err }, 'expired answers were not removed'),
      )
    }, cleaningInterval)
    cleaning.unref()
    app.addHook('onClose', async () => clearInterval(cleaning))

    async function begin(request: FastifyRequest, { key, query, body }: Sent): Promise<KeptAnswer | null> {
      const { method, url } = request
      const fingerprint = toFingerprint({ method, path: url.split('?', 1)[0] ?? '', query, body })
      const open = () => request.openTransaction()
      const begun = await attempts.begin({ owner: toOwner(request, key), fingerprint, open })
      if (begun.kind === 'fresh') {
        running.set(request, begun.attempt)
        return null
      }
      if (begun.answer.fingerprint !== fingerprint) throw toReused()
      return begun.answer
    }
  },
  { name: 'idempotency', dependencies: ['errors', 'services', 'transactions'] },
)

function keepsAnswers({ scopes, keepsAnswer }: FastifyContextConfig): boolean {
  return scopes !== undefined && keepsAnswer !== false
}

/** Visible ASCII, so that the same key is the same bytes on every way here. */
function checkKey(header: string | string[]): string {
  const key = [header].flat().join(', ')
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  const message = 'must be 1 to 255 visible ASCII characters, without blanks'
  throw problem('validation_failed', `Idempotency-Key ${message}.`, {
    errors: [{ path: 'Idempotency-Key', code: 'invalid_format', message }],
  })
}

function toOwner(request: FastifyRequest, key: string): KeyOwner {
  const { id, clientId, organizationId } = request.principal
  const isOrganizational = request.routeOptions.config.tenancy === 'organization'
  return {
    organizationId,
    workspaceId: isOrganizational ? null : request.tenant.workspaceId,
    userId: id,
    clientId,
    key,
  }
}

/** RFC 9110 has no such header; it tells a client that nothing ran this time. */
function replay(reply: FastifyReply, { status, headers, body }: KeptAnswer): FastifyReply {
  reply.code(status).headers({ ...headers, 'idempotency-replayed': 'true' })
  return body === null ? reply.send() : reply.send(body)
}

function toReused(): Problem {
  const detail = 'This Idempotency-Key was used with another request. Use a new key for a new request.'
  return problem('idempotency_key_reused', detail)
}

/** Null where the body is a stream, which can be sent only once. */
function toAnswer(reply: FastifyReply, payload: unknown): Omit<KeptAnswer, 'fingerprint'> | null {
  const body = Buffer.isBuffer(payload) ? payload.toString('utf8') : (payload ?? null)
  if (body !== null && typeof body !== 'string') return null

  const headers: Record<string, string> = {}
  for (const name of keptHeaders) {
    const value = reply.getHeader(name)
    if (value !== undefined && !(body === null && name === 'content-type')) headers[name] = String(value)
  }
  return { status: reply.statusCode, headers, body }
}
