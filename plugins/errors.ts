import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type Problem, problem } from '../lib/problem/problem.ts'
import { problemMediaType, toProblemDocument } from '../lib/problem/problem-document.ts'
import { toProblem } from '../lib/problem/to-problem.ts'

declare module 'fastify' {
  interface FastifyReply {
    /**
     * Makes the answer that of a problem, status and headers included, and returns its document as text for
     * the caller to send. What described an answer that is not given any more (`ETag`, `Location`) goes.
     */
    toProblemBody(problem: Problem): string
  }
}

/** Every error of every route, and every URL without a route, is a problem document (RFC 9457). */
export const errors = fp(
  async (app: FastifyInstance, { publicUrl }: { publicUrl: string }) => {
    app.decorateReply('toProblemBody', function (this: FastifyReply, what: Problem) {
      this.removeHeader('etag').removeHeader('location')
      // RFC 9110 section 15.5.2: a 401 never goes without a challenge.
      const challenge = what.status === 401 ? { 'www-authenticate': 'Bearer error="invalid_token"' } : {}
      this.code(what.status)
        .headers({ 'cache-control': 'no-store', ...challenge, ...what.headers })
        .type(problemMediaType)
      return toProblemDocument(what, { requestId: this.request.id, publicUrl })
    })

    app.setErrorHandler((error: FastifyError, request, reply) => {
      const what = toProblem(error)
      logServerError(what, error, request)
      return reply.send(reply.toProblemBody(what))
    })

    const allowedMethods = collectMethods(app)
    app.setNotFoundHandler((request, reply) => {
      const allowed = allowedMethods(toPath(request))
      return reply.send(reply.toProblemBody(toMissing(request, allowed)))
    })
  },
  { name: 'errors' },
)

/** What went wrong on this side is written down in full; the caller gets the request's id to refer to. */
function logServerError(what: Problem, error: unknown, request: FastifyRequest): void {
  if (what.status === 500) request.log.error({ err: error }, 'request failed')
  if (what.status === 503) request.log.warn({ err: error }, 'request could not be served')
}

/** RFC 9110 section 15.5.6: a path that answers other methods says which. */
function toMissing(request: FastifyRequest, allowed: readonly string[]): Problem {
  if (allowed.length === 0) return problem('not_found', 'There is nothing at this URL.')
  const allow = allowed.join(', ')
  const detail = `This URL does not answer ${request.method}. It answers ${allow}.`
  return problem('method_not_allowed', detail, { headers: { allow } })
}

function toPath(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? request.url
}

/**
 * Remembers which methods each route answers, and finds those of a path. The router itself can only be asked
 * by pattern. Routes with a wildcard answer any path and are left out.
 */
function collectMethods(app: FastifyInstance): (path: string) => string[] {
  const routes: { segments: string[]; method: string }[] = []

  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return
    for (const one of [method].flat()) routes.push({ segments: url.split('/'), method: one })
  })

  return path => {
    const segments = path.split('/')
    const methods = routes.filter(route => matches(route.segments, segments)).map(route => route.method)
    return [...new Set(methods)].sort()
  }
}

/** A parameter (`:id`) stands for one segment, which may be empty. */
function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  if (pattern.length !== segments.length) return false
  return pattern.every((part, at) => part.startsWith(':') || part === segments[at])
}
