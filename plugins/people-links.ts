import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { toAudiences } from '../lib/identity/audiences.ts'
import { hashPassword } from '../lib/passwords/hash-password.ts'
import { passwordSchema } from '../lib/passwords/password-schema.ts'
import {
  linkPageHeaders,
  toDeadLinkPage,
  toDonePage,
  toFailurePage,
  toPasswordPage,
} from '../lib/people/link-pages.ts'
import { findOpenLink } from '../lib/people/open-link.ts'
import { setPasswordByLink } from '../lib/people/set-password.ts'
import { linkPath } from '../lib/people/to-link-url.ts'
import { toProblem } from '../lib/problem/to-problem.ts'

/** Bytes: a token and 200 characters, each of them percent-encoded. */
const bodyLimit = 16_384

const form = z.object({ token: z.string(), password: z.string() })

/**
 * Where the one-time links of people lead: a page to choose a password, in plain HTML. Opening it uses nothing up, since
 * mail scanners open links; what is sent from it carries the token in the body, which no other site knows.
 *
 * An encapsulated scope, because only here are forms read and errors pages.
 */
export async function peopleLinks(app: FastifyInstance, { publicUrl }: { publicUrl: string }): Promise<void> {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  )
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(linkPageHeaders)
    await app.checkAddress(request)
  })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const what = toProblem(error)
    if (what.status >= 500) request.log.error({ err: error }, 'a link could not be served')
    reply.code(what.status).headers({ ...what.headers, ...linkPageHeaders })
    return reply.send(toFailurePage(what))
  })

  // Where the public URL has a path of its own: with it, for a proxy that takes nothing away.
  const base = new URL(publicUrl).pathname.replace(/\/+$/, '')
  for (const path of new Set([linkPath, `${base}${linkPath}`])) {
    app.get(path, showForm)
    app.post(path, { bodyLimit }, setPassword)
  }

  async function showForm(request: FastifyRequest, reply: FastifyReply) {
    const { token } = z.object({ token: z.string().catch('') }).parse(request.query)
    const link = await findOpenLink(app.database, token)
    return link ? reply.send(toPasswordPage(link, { token, fault: null })) : refuse(request, reply)
  }

  async function setPassword(request: FastifyRequest, reply: FastifyReply) {
    const sent = form.safeParse(request.body).data
    const link = sent && (await findOpenLink(app.database, sent.token))
    if (!link) return refuse(request, reply)
    const { token } = sent
    const chosen = passwordSchema(link.email).safeParse(sent.password)
    const fault = chosen.error?.issues[0]?.message ?? null
    if (!chosen.success) return reply.code(400).send(toPasswordPage(link, { token, fault }))
    const hash = await hashPassword(chosen.data, app.config.passwordCost)
    const done = await setPasswordByLink(app.database, { token, hash })
    return done ? reply.send(toDonePage(done, toAudiences(publicUrl).mcp)) : refuse(request, reply)
  }

  /** Counted like a failed login: nobody can guess a token, and nobody is to try all day. */
  async function refuse(request: FastifyRequest, reply: FastifyReply) {
    await app.countFailedAuthentication(request)
    return reply.code(410).send(toDeadLinkPage())
  }
}
