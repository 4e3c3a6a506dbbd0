import { closeSync, openSync, readFileSync, statSync, unlinkSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { isRunning, readStartTime } from './process-start.ts'

export interface DirectoryLock {
  release(): void
}

/** Who holds a directory. The start time tells a process from a later one with the same pid. */
interface Owner {
  readonly pid: number
  readonly startTime: string
  readonly host: string
}

const attempts = 100
const pause = 20
const abandonedAfter = 10_000

/**
 * Takes a directory for this process, or throws an error that names who has it. The file is made with O_EXCL,
 * so that one of several takers wins. A file left by a process that is gone is removed first, by one taker at
 * a time: two that both saw it could otherwise remove each other's new one.
 */
export function lockDirectory(directory: string): DirectoryLock {
  const file = join(directory, 'database.lock')
  const self: Owner = { pid: process.pid, startTime: readStartTime(process.pid), host: hostname() }
  const text = JSON.stringify(self)
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (createExclusively(file, text)) return { release: () => removeIfUnchanged(file, text) }
    const found = readIfThere(file)
    if (found === null) continue
    const owner = parseOwner(found)
    if (owner && isHeld(owner)) throw refusal(directory, file, owner)
    // What cannot be read is being written at this moment, unless it is old.
    if (owner || isOld(file)) removeAbandoned(file, found)
    sleep(pause)
  }
  throw new Error(`${directory} could not be locked: ${file} keeps changing. Try again.`)
}

function createExclusively(file: string, text: string): boolean {
  let descriptor: number
  try {
    descriptor = openSync(file, 'wx')
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    throw error
  }
  try {
    writeSync(descriptor, text)
  } finally {
    closeSync(descriptor)
  }
  return true
}

function parseOwner(text: string): Owner | null {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return null
    const { pid, startTime, host } = value as Partial<Record<keyof Owner, unknown>>
    if (!Number.isInteger(pid) || typeof startTime !== 'string' || typeof host !== 'string') return null
    return { pid: Number(pid), startTime, host }
  } catch {
    return null
  }
}

/** A process of another machine cannot be asked, so that it counts as running. */
function isHeld(owner: Owner): boolean {
  if (owner.host !== hostname()) return true
  return isRunning(owner.pid) && readStartTime(owner.pid) === owner.startTime
}

function refusal(directory: string, file: string, owner: Owner): Error {
  const where = owner.host === hostname() ? '' : ` on ${owner.host}`
  const hint = where
    ? `If that process is gone, remove ${file}.`
    : 'Stop it, or use another DATA_DIR or a DATABASE_URL.'
  return new Error(`The database in ${directory} is in use by process ${owner.pid}${where}. ${hint}`)
}

/** Removes the file if it still says what was found in it, while nobody else is doing the same. */
function removeAbandoned(file: string, found: string): void {
  const guard = `${file}.takeover`
  if (!createExclusively(guard, String(process.pid))) {
    if (isOld(guard)) throw new Error(`${guard} was left behind. Remove it and try again.`)
    return
  }
  try {
    removeIfUnchanged(file, found)
  } finally {
    unlinkSync(guard)
  }
}

function removeIfUnchanged(file: string, text: string): void {
  if (readIfThere(file) === text) unlinkSync(file)
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    throw error
  }
}

function isOld(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats !== undefined && Date.now() - stats.mtimeMs > abandonedAfter
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}
