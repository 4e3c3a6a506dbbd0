import { createHash, randomBytes } from 'node:crypto'
import type { LightMyRequestResponse } from 'fastify'
import { hashPassword } from '../../../lib/passwords/hash-password.ts'
import {
  audiences,
  passwordCost,
  publicUrl,
  type StartedApp,
  type StartOptions,
  startApp,
} from '../plumbing/start-app.ts'
import type { Teardown } from '../support/open-test-database.ts'
import { type Browser, createBrowser, type Page } from './browser.ts'

export const issuer = `${publicUrl}/oauth`
export const password = 'a password for the tests alone'
export const redirectUri = 'https://client.example.com/callback'

/** The application with its own authorization server, and people who can log in. */
export async function startAuthorization(t: Teardown, options: StartOptions = {}): Promise<StartedApp> {
  const started = await startApp(t, {
    ...options,
    config: { authServer: true, authIssuer: issuer, ...options.config },
  })
  if (!options.beside) await givePasswords(started)
  return started
}

/** Of everybody's password. */
let hash: Promise<string> | undefined

async function givePasswords({ database, people }: StartedApp): Promise<void> {
  hash ??= hashPassword(password, passwordCost)
  const stored = await hash
  await database.asOwner(async trx => {
    for (const [id, organization] of [
      [people.ana, people.acme],
      [people.bruno, people.acme],
      [people.vera, people.acme],
      [people.leo, people.globex],
    ] as const) {
      await trx
        .insertInto('credentials')
        .values({ user_id: id, organization_id: organization.id, hash: stored })
        .execute()
    }
  })
}

export interface Client {
  readonly client_id: string
  readonly client_secret?: string
}

export async function registerClient({ app }: StartedApp, metadata: object = {}): Promise<Client> {
  const response = await app.inject({
    method: 'POST',
    url: '/oauth/register',
    payload: {
      client_name: 'A client',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
      ...metadata,
    },
  })
  if (response.statusCode !== 201) throw new Error(`${response.statusCode} ${response.body}`)
  return response.json()
}

export interface Flow {
  readonly verifier: string
  readonly state: string
  readonly url: string
}

/** An authorization request; null takes a parameter away. */
export function toFlow(client: Client, parameters: Record<string, string | null> = {}): Flow {
  const verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(8).toString('base64url')
  const query = new URLSearchParams({
    client_id: client.client_id,
    response_type: 'code',
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    scope: 'inboxes:read emails:read',
    resource: audiences.mcp,
    state,
  })
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) query.delete(name)
    else query.set(name, value)
  }
  return { verifier, state, url: `${issuer}/auth?${query}` }
}

export async function logIn(browser: Browser, page: Page, email = 'ana@acme.test'): Promise<Page> {
  return browser.submit(page, { email, password })
}

/** The whole way of a person who agrees with everything; the answer that the client gets. */
export async function agree(
  { app }: StartedApp,
  flow: Flow,
  { email, browser = createBrowser(app), ...fields }: AgreeOptions = {},
): Promise<URL> {
  const first = await browser.open(flow.url)
  const consent = first.body.includes('type="password"') ? await logIn(browser, first, email) : first
  const isAsked = consent.url.startsWith(publicUrl)
  const answered = isAsked ? await browser.submit(consent, { answer: 'allow', ...fields }) : consent
  return new URL(answered.url)
}

export interface AgreeOptions {
  readonly email?: string
  readonly browser?: Browser
  readonly scope?: readonly string[]
  readonly workspace?: string
}

/** Asks the token endpoint for something. */
export async function askForTokens(
  { app }: Pick<StartedApp, 'app'>,
  parameters: Record<string, string | undefined>,
  headers: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] satisfies [string, string]],
  )
  return app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(given).toString(),
  })
}

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly scope: string
}

export async function exchange(
  started: StartedApp,
  client: Client,
  { code, flow }: { readonly code: string | null; readonly flow: Flow },
): Promise<LightMyRequestResponse> {
  return askForTokens(started, {
    grant_type: 'authorization_code',
    client_id: client.client_id,
    code: code ?? '',
    code_verifier: flow.verifier,
    redirect_uri: redirectUri,
  })
}

/** From nothing to tokens. */
export async function obtainTokens(
  started: StartedApp,
  { client: known, parameters, ...agreed }: ObtainOptions = {},
): Promise<Tokens & { readonly client: Client; readonly code: string | null; readonly flow: Flow }> {
  const client = known ?? (await registerClient(started))
  const flow = toFlow(client, parameters)
  const answer = await agree(started, flow, agreed)
  const code = answer.searchParams.get('code')
  const response = await exchange(started, client, { code, flow })
  if (response.statusCode !== 200) throw new Error(`${answer} ${response.body}`)
  return { ...response.json(), client, code, flow }
}

export interface ObtainOptions extends AgreeOptions {
  readonly client?: Client
  readonly parameters?: Record<string, string | null>
}

export async function refresh(started: Pick<StartedApp, 'app'>, client: Client, token: string) {
  return askForTokens(started, {
    grant_type: 'refresh_token',
    client_id: client.client_id,
    refresh_token: token,
  })
}

/** The names of the tools that a token shows at /mcp, or the status. */
export async function listTools(
  { app }: Pick<StartedApp, 'app'>,
  token: string,
): Promise<readonly string[] | number> {
  const response = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { authorization: `Bearer ${token}` },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  })
  if (response.statusCode !== 200) return response.statusCode
  const { result } = response.json<{ result: { tools: { name: string }[] } }>()
  return result.tools.map(({ name }) => name)
}

export function toClaims(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
}
