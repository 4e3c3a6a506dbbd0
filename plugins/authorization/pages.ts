import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { errors, type Provider } from 'oidc-provider'
import type { BrowserSeal } from '../../lib/authorization/cookie-keys.ts'
import type { CurrentProvider } from '../../lib/authorization/current-provider.ts'
import { toErrorPage } from '../../lib/authorization/pages/error-page.ts'
import { toPageHeaders } from '../../lib/authorization/pages/page.ts'
import { toProblem } from '../../lib/problem/to-problem.ts'
import { answerConsent, showConsent } from './consent.ts'
import { answerLogin, showLogin } from './login.ts'
import { overwriteOrigin } from './overwrite-origin.ts'

export interface PagesOptions {
  readonly issuer: string
  readonly current: CurrentProvider
  readonly seal: BrowserSeal
}

type Details = Awaited<ReturnType<Provider['interactionDetails']>>

/** A request of a person whose browser has the cookie of the flow that the URL names. */
export interface Visit {
  readonly app: FastifyInstance
  readonly provider: Provider
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly details: Details
  readonly issuer: string
  /** Where the forms of the flow go. */
  readonly path: string
  /** What a form carries, so that no other site's form is taken for it. */
  readonly csrf: string
  readonly seal: BrowserSeal
  /** What came from a form; empty for a page. */
  readonly form: URLSearchParams
}

type Answer = (visit: Visit) => Promise<FastifyReply>

type PageRequest = { Params: { uid: string }; Body: URLSearchParams | undefined }

const bodyLimit = 16_384

/** The pages on which people log in and consent. They work without JavaScript, and have none. */
export function registerPages(scope: FastifyInstance, options: PagesOptions): void {
  const { issuer, seal } = options
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  )
  scope.setErrorHandler(sendError)

  get('', visit => (visit.details.prompt.name === 'consent' ? showConsent(visit) : showLogin(visit)))
  get('/login', showLogin)
  post('/login', answerLogin)
  post('/consent', answerConsent)
  post('/cancel', visit => refuse(visit))

  function get(path: string, answer: Answer): void {
    scope.get<PageRequest>(
      `/oauth/interaction/:uid${path}`,
      { exposeHeadRoute: false },
      async (request, reply) => answer(await toVisit(request, reply)),
    )
  }

  function post(path: string, answer: Answer): void {
    scope.post<PageRequest>(`/oauth/interaction/:uid${path}`, async (request, reply) => {
      const visit = await toVisit(request, reply)
      if (seal.verify('csrf', visit.details.uid, visit.form.get('csrf') ?? '')) return answer(visit)
      request.log.warn('a form of the authorization server came from another page')
      const detail = 'This form did not come from the page that it belongs to.'
      return sendPage(reply, { status: 403, html: toErrorPage({ code: 'invalid_form', detail }) })
    })
  }

  async function toVisit(request: FastifyRequest<PageRequest>, reply: FastifyReply): Promise<Visit> {
    overwriteOrigin(request, issuer)
    const provider = await options.current.get()
    const details = await provider.interactionDetails(request.raw, reply.raw)
    // The cookie's path sees to it in browsers; a cookie that came another way is for another flow.
    if (details.uid !== request.params.uid) throw new errors.SessionNotFound('the cookie is of another flow')
    const path = `${new URL(issuer).pathname}/interaction/${details.uid}`
    const csrf = seal.sign('csrf', details.uid)
    const form = request.body ?? new URLSearchParams()
    return { app: scope, provider, request, reply, details, issuer, path, csrf, seal, form }
  }
}

/** Ends the flow without anything being given out: the client is told so. */
export async function refuse({ provider, request, reply, details }: Visit): Promise<FastifyReply> {
  request.log.info({ clientId: details.params.client_id }, 'a person refused a client')
  const result = { error: 'access_denied', error_description: 'the person refused' }
  const options = { mergeWithLastSubmission: false }
  return reply.redirect(await provider.interactionResult(request.raw, reply.raw, result, options), 303)
}

export function sendPage(
  reply: FastifyReply,
  page: { readonly status: number; readonly html: string; readonly formActions?: readonly string[] },
): FastifyReply {
  return reply
    .code(page.status)
    .headers(toPageHeaders(page.formActions))
    .type('text/html; charset=utf-8')
    .send(page.html)
}

/** Tells the person what went wrong, where somebody looks at the answer. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof errors.SessionNotFound) {
    const detail = 'This page has expired, or it was opened in another browser.'
    return sendPage(reply, { status: 400, html: toErrorPage({ code: 'expired', detail }) })
  }
  const { code, detail, status, headers } = toProblem(error)
  if (status >= 500) request.log.error({ err: error }, 'a page of the authorization server failed')
  reply.headers(headers)
  return sendPage(reply, { status, html: toErrorPage({ code, detail }) })
}
