import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Config } from '../lib/config/config.ts'
import type { Database } from '../lib/database/database.ts'
import type { Jobs } from '../lib/jobs/jobs.ts'
import type { SecretBox } from '../lib/secrets/secret-box.ts'

declare module 'fastify' {
  interface FastifyInstance {
    config: Config
    /** Handlers use `request.transact` instead, which knows whom they work for. */
    database: Database
    jobs: Jobs
    /** Seals what is kept and must not be read where it is kept. */
    secretBox: SecretBox
  }
}

export interface Services {
  readonly config: Config
  readonly database: Database
  readonly jobs: Jobs
  readonly secretBox: SecretBox
}

/** What the process was started with. It is opened and closed by whoever builds the app. */
export const services = fp(
  async (app: FastifyInstance, { config, database, jobs, secretBox }: Services) => {
    app
      .decorate('config', config)
      .decorate('database', database)
      .decorate('jobs', jobs)
      .decorate('secretBox', secretBox)
  },
  { name: 'services' },
)
