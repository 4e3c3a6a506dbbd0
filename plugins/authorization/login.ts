import type { FastifyReply } from 'fastify'
import { endSession } from '../../lib/authorization/end-session.ts'
import { toLoginMark } from '../../lib/authorization/find-account.ts'
import { lifetimes } from '../../lib/authorization/lifetimes.ts'
import { toLoginPage } from '../../lib/authorization/pages/login-page.ts'
import { passwordMatches } from '../../lib/passwords/hash-password.ts'
import { renewHash } from '../../lib/passwords/renew-hash.ts'
import { type Account, findAccountByEmail, toAccountAddress } from '../../lib/people/find-account.ts'
import { Problem } from '../../lib/problem/problem.ts'
import { findClient } from './find-client.ts'
import { sendPage, type Visit } from './pages.ts'

const deviceCookie = 'inbox_device'

/** The same for every reason: nobody learns here who has an account. */
const refusal = 'The e-mail address or the password is not right.'

export async function showLogin(visit: Visit): Promise<FastifyReply> {
  const { login_hint: hint } = visit.details.params
  return sendLogin(visit, {
    status: 200,
    email: typeof hint === 'string' ? hint.slice(0, 320) : '',
    error: null,
  })
}

/** Lets a person in whose password is right, into a session with a new id, and goes on with the flow. */
export async function answerLogin(visit: Visit): Promise<FastifyReply> {
  const { request, reply, provider, app, form } = visit
  const email = (form.get('email') ?? '').slice(0, 320).trim()
  try {
    await limit(visit, email)
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 429) throw error
    request.log.warn('too many attempts to log in')
    reply.headers(error.headers)
    return sendLogin(visit, { status: 429, email, error: error.detail })
  }

  const account = await findAccountByEmail(app.database, email)
  const password = (form.get('password') ?? '').slice(0, 1024)
  // The work is the same whether there is an account or not, so that time tells nothing either.
  const matches = await passwordMatches(password, account?.passwordHash ?? null, app.config.passwordCost)
  if (!account || account.disabled || account.loginsEnded === null || !matches) {
    request.log.info({ userId: account?.userId }, 'login refused')
    return sendLogin(visit, { status: 403, email, error: refusal })
  }
  await renew(visit, { ...account, password })
  await leaveOtherSession(visit, account.userId)
  rememberDevice(visit, email)
  request.log.info({ userId: account.userId }, 'a person logged in')
  // As it was when the password was looked at: by now it may be another, and then this leads back to the login page.
  const acr = toLoginMark(account.loginsEnded)
  const result = { login: { accountId: account.userId, amr: ['pwd'], acr, remember: false } }
  const options = { mergeWithLastSubmission: false }
  return reply.redirect(await provider.interactionResult(request.raw, reply.raw, result, options), 303)
}

/** The person is who they are, whether or not their hash can be made to cost more right now. */
async function renew(
  { app, request }: Visit,
  { userId, passwordHash, password }: Account & { readonly password: string },
): Promise<void> {
  if (passwordHash === null) return
  const cost = app.config.passwordCost
  await renewHash(app.database, { userId, password, hash: passwordHash, cost }).catch(err =>
    request.log.warn({ err }, 'a password could not be hashed anew'),
  )
}

async function limit({ app, request, seal }: Visit, email: string): Promise<void> {
  const account = toAccountAddress(email)
  const known = parseCookie(request.headers.cookie, deviceCookie)
  await app.limitLogin(request, {
    account,
    isKnown: known !== null && seal.verify(deviceCookie, account, known),
  })
}

/**
 * Whoever else is logged in in this browser is so no more, be it since this page was opened, in another tab: the library
 * would ask them, and the person who is here is not them.
 */
async function leaveOtherSession(
  { app, provider, request, reply, details }: Visit,
  userId: string,
): Promise<void> {
  const { session } = details
  const current = await provider.Session.get(provider.createContext(request.raw, reply.raw))
  const isOther = current.accountId !== undefined && current.accountId !== userId
  if (isOther) await endSession(app.database, current.uid)
  if (!session?.uid || (session.uid === current.uid && !isOther)) return
  Reflect.set(details, 'session', undefined)
  await details.persist()
}

/** A browser that has logged in once is told from those of strangers, who can only spend the budget of strangers. */
function rememberDevice({ reply, issuer, seal }: Visit, email: string): void {
  const { protocol, pathname } = new URL(issuer)
  const parts = [
    `${deviceCookie}=${seal.sign(deviceCookie, toAccountAddress(email))}`,
    `Path=${pathname}`,
    `Max-Age=${lifetimes.grant}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(protocol === 'https:' ? ['Secure'] : []),
  ]
  reply.header('set-cookie', parts.join('; '))
}

async function sendLogin(
  visit: Visit,
  page: { readonly status: number; readonly email: string; readonly error: string | null },
): Promise<FastifyReply> {
  const { path, csrf } = visit
  const { name: clientName, formActions } = await findClient(visit)
  const html = toLoginPage({ path, csrf, clientName, email: page.email, error: page.error })
  return sendPage(visit.reply, { status: page.status, html, formActions })
}

function parseCookie(header: string | undefined, name: string): string | null {
  const pairs = (header ?? '').split(';').map(pair => pair.trim())
  return pairs.find(pair => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? null
}
