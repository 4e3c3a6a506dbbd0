import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import type { Database } from '../../lib/database/database.ts'
import { openDatabase } from '../../lib/database/open-database.ts'
import { confirmationKey, keys, publicUrl, startApp } from '../app/plumbing/start-app.ts'
import { createPostgresLocation } from '../app/support/postgres-template.ts'
import { seedTwoOrganizations, type TwoOrganizations } from '../app/support/seed-two-organizations.ts'
import { toProgram } from '../project.ts'

/** The API twice on one database, as behind a load balancer. */
export interface TwoServers {
  /** Where each listens: `http://127.0.0.1:PORT`. */
  readonly urls: readonly [string, string]
  readonly database: Database
  readonly people: TwoOrganizations
}

/** Two processes on the server of `DATABASE_URL`; without one, two instances in this process, which has the database. */
export function startTwoServers(t: Test): Promise<TwoServers> {
  const url = process.env.DATABASE_URL
  return url ? startProcesses(t, url) : startInstances(t)
}

async function startInstances(t: Test): Promise<TwoServers> {
  const first = await startApp(t)
  const second = await startApp(t, { beside: first })
  const listen = async ({ app }: typeof first) => {
    await app.jobs.start()
    t.teardown(() => app.jobs.stop())
    return app.listen({ host: '127.0.0.1', port: 0 })
  }
  return { urls: [await listen(first), await listen(second)], database: first.database, people: first.people }
}

async function startProcesses(t: Test, url: string): Promise<TwoServers> {
  const location = await createPostgresLocation(t, url)
  const database = await openDatabase(location)
  t.teardown(() => database.close())
  const people = await seedTwoOrganizations(database)
  const dataDir = mkdtempSync(join(tmpdir(), 'kobana-inbox-test-'))
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  const keyFile = join(dataDir, 'public.pem')
  writeFileSync(keyFile, keys.publicKey)
  const env = {
    NODE_ENV: 'test',
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: location.databaseUrl ?? '',
    PUBLIC_URL: publicUrl,
    AUTH_PUBLIC_KEY_FILE: keyFile,
    CONFIRMATION_KEYS: confirmationKey,
  }
  const [first, second] = await Promise.all([startProcess(t, env), startProcess(t, env)])
  return { urls: [first, second], database, people }
}

function startProcess(t: Test, env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, toProgram('server.ts'), {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  let output = ''
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the server ended early:\n${output}`)))
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', line => {
        output += `${line}\n`
        const port = /listening at http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1]
        if (port) resolve(`http://127.0.0.1:${port}`)
      })
  })
}
