import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type DirectoryLock, lockDirectory } from '../../../lib/database/directory-lock.ts'
import { type DatabaseLocation, openDatabase } from '../../../lib/database/open-database.ts'
import type { Teardown } from './open-test-database.ts'
import { schemaHash } from './schema-hash.ts'

const patience = 120_000

/** A copy of the template that goes with the test. */
export async function createEmbeddedLocation(t: Teardown): Promise<DatabaseLocation> {
  const dataDir = await copyTemplate()
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 }))
  return { databaseUrl: null, dataDir }
}

/** A copy of the template directory, which is made by the first test of the machine that needs it. */
export async function copyTemplate(): Promise<string> {
  const template = await ensureTemplate()
  const dataDir = mkdtempSync(join(tmpdir(), 'kobana-inbox-test-'))
  cpSync(template, dataDir, { recursive: true })
  return dataDir
}

async function ensureTemplate(): Promise<string> {
  const template = join(tmpdir(), `kobana-inbox-template-${process.getuid?.() ?? 0}-${schemaHash()}`)
  const deadline = Date.now() + patience
  while (!existsSync(template)) {
    const lock = tryLock(`${template}.lock`)
    if (lock) await buildTemplate(template, lock)
    else if (Date.now() > deadline) throw new Error(`${template} is not built after ${patience} ms`)
    else await delay(100)
  }
  return template
}

function tryLock(directory: string): DirectoryLock | null {
  mkdirSync(directory, { recursive: true })
  try {
    return lockDirectory(directory)
  } catch {
    return null
  }
}

/** Built under another name, so that a template that exists is whole. */
async function buildTemplate(template: string, lock: DirectoryLock): Promise<void> {
  try {
    if (existsSync(template)) return
    const dataDir = `${template}.building`
    rmSync(dataDir, { recursive: true, force: true })
    const database = await openDatabase({ databaseUrl: null, dataDir })
    await database.close()
    renameSync(dataDir, template)
  } finally {
    lock.release()
  }
}
