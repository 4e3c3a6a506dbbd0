import { generateKeyPairSync } from 'node:crypto'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { Dispatcher } from 'undici'
import { buildApp } from '../../../app.ts'
import { type Config, parseConfig } from '../../../lib/config/config.ts'
import type { Database } from '../../../lib/database/database.ts'
import { allScopes } from '../../../lib/identity/scopes.ts'
import { createTokenSigner, toAudiences } from '../../../lib/identity/tokens.ts'
import { createJobs } from '../../../lib/jobs/jobs.ts'
import { createLog, type Log } from '../../../lib/log/log.ts'
import type { Metrics } from '../../../lib/metrics/metrics.ts'
import type { Tracing } from '../../../lib/tracing/tracing.ts'
import type { IdempotencyOptions } from '../../../plugins/idempotency.ts'
import { openTestDatabase, type Teardown } from '../support/open-test-database.ts'
import { seedTwoOrganizations, type TwoOrganizations } from '../support/seed-two-organizations.ts'

export const publicUrl = 'http://inbox.test'
export const audiences = toAudiences(publicUrl)
export const keys = createKeys()
const sign = createTokenSigner(keys.privateKey)
/** What every instance signs its confirmations with. */
export const confirmationKey = 'a confirmation key for the tests alone'

/** What passwords cost here: far below what is allowed in production, for a test checks a hundred of them. */
export const passwordCost = 5

/** What every instance seals secrets with. */
export const secretsKey = 'a key for secrets of the tests alone'

export interface StartedApp {
  readonly app: FastifyInstance
  readonly database: Database
  readonly people: TwoOrganizations
}

export interface StartOptions {
  readonly routes?: FastifyPluginAsync
  readonly env?: Record<string, string>
  readonly config?: Partial<Config>
  readonly idempotency?: IdempotencyOptions
  readonly log?: Log
  readonly metrics?: Metrics
  readonly tracing?: Tracing
  /** What fetches the metadata documents of clients of the built-in authorization server. */
  readonly clientDocuments?: Dispatcher
  /** Another instance of the application, whose database this one shares, as a second replica would. */
  readonly beside?: Pick<StartedApp, 'database' | 'people'>
}

/** The application on a database of its own with two organizations, closed with the test. */
export async function startApp(
  t: Teardown,
  { env, config, beside, ...rest }: StartOptions = {},
): Promise<StartedApp> {
  const database = beside?.database ?? (await openTestDatabase(t))
  const people = beside?.people ?? (await seedTwoOrganizations(database))
  const silent = createLog('silent')
  const jobs = createJobs(database, { log: silent })
  const parsed = parseConfig({
    NODE_ENV: 'test',
    PUBLIC_URL: publicUrl,
    LOG_LEVEL: 'silent',
    CONFIRMATION_KEYS: confirmationKey,
    SECRETS_KEY: secretsKey,
    ...env,
  })
  const app = await buildApp({
    config: { ...parsed, passwordCost, ...config },
    database,
    jobs,
    publicKey: keys.publicKey,
    log: silent,
    ...rest,
  })
  t.teardown(() => app.close())
  return { app, database, people }
}

export interface TokenOptions {
  readonly audience?: string
  readonly issuer?: string
  readonly scopes?: readonly string[]
  readonly clientId?: string
  readonly defaultWorkspaceId?: string
  readonly lifetime?: number
}

/** The header with a token of a person for the API, with every scope unless told otherwise. */
export function bearer(userId: string, options: TokenOptions = {}): { authorization: string } {
  const token = sign({
    issuer: publicUrl,
    audience: audiences.api,
    userId,
    clientId: 'test-client',
    scopes: allScopes,
    lifetime: 600,
    ...options,
  })
  return { authorization: `Bearer ${token}` }
}

function createKeys() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  }
}
