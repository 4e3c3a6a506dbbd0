import type { FastifyPluginAsync } from 'fastify'
import { buildApp } from '../../../app.ts'
import { parseConfig } from '../../../lib/config/config.ts'
import { openDatabase } from '../../../lib/database/open-database.ts'
import { createId } from '../../../lib/id/id.ts'
import { createJobs } from '../../../lib/jobs/jobs.ts'
import { createLog } from '../../../lib/log/log.ts'
import { toPort } from './notes-routes.ts'

/** A process of its own, to be killed: prints its port, then `working` when a handler has done its work. */
const { databaseUrl, dataDir, publicKey } = JSON.parse(process.argv[2] ?? '')
const database = await openDatabase({ databaseUrl, dataDir })
const config = parseConfig({
  NODE_ENV: 'test',
  PUBLIC_URL: 'http://inbox.test',
  LOG_LEVEL: 'silent',
  SECRETS_KEY: 'a key for secrets of the tests alone',
})
const log = createLog('silent')

const routes: FastifyPluginAsync = async app => {
  const config = { scopes: ['inboxes:write'] }
  app.post('/notes/:kind', { config }, async request => {
    const id = createId('inb')
    const { organizationId: organization_id, workspaceId: workspace_id } = request.tenant
    const row = { id, organization_id, workspace_id, address: `${id}@notes.test`, name: 'note' }
    await request.transact(trx => trx.insertInto('inboxes').values(row).execute())
    process.stdout.write('working\n')
    if (request.url.endsWith('/hanging')) await new Promise(() => {})
    return { id }
  })
}

const app = await buildApp({ config, database, jobs: createJobs(database, { log }), publicKey, log, routes })
await app.listen({ port: 0, host: '127.0.0.1' })
process.stdout.write(`port ${toPort(app)}\n`)
