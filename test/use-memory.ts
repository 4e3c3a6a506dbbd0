import { statfsSync } from 'node:fs'

const memory = '/dev/shm'
/** Bytes that must be free there: each test has a database of some 40 megabytes. */
const needed = 2 ** 31

/** Lets tests keep what they write in memory, where there is room: databases are made and removed by the hundred. */
export function useMemory(): void {
  if (process.env.TMPDIR === undefined && hasRoom()) process.env.TMPDIR = memory
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize > needed
  } catch {
    return false
  }
}
