import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/**
 * Files in one process: it loads the application once for all of them, which costs more than most of their tests. The
 * later a batch begins, the fewer it has, so that all processors are done at about the same time.
 */
const most = 16
const fewest = 4
const share = 8

/**
 * Writes programs that run several test files each, one after the other, and returns them. tap has one suite for a
 * process, so that their tests stand in one report, in which what fails names its file.
 *
 * @param folder where the programs go, from the root
 * @param files compiled tests, from the root
 */
export function writeBatches(folder: string, files: readonly string[]): readonly string[] {
  return toBatches(files).map(batch => {
    const program = join(folder, 'batches', `${toName(batch)}.test.js`)
    mkdirSync(dirname(program), { recursive: true })
    writeFileSync(program, batch.map(file => `await import('${toSpecifier(program, file)}')\n`).join(''))
    return program
  })
}

/** In order, each a share of what is left. */
function toBatches(files: readonly string[]): readonly (readonly string[])[] {
  if (files.length === 0) return []
  const size = Math.max(fewest, Math.min(most, Math.ceil(files.length / share)))
  return [files.slice(0, size), ...toBatches(files.slice(size))]
}

/** Where the batch begins, and what it is made of. */
function toName(batch: readonly string[]): string {
  const hash = createHash('sha256').update(batch.join()).digest('hex').slice(0, 4)
  const first = (batch[0] ?? '').replace(/^.*?test\//, '').replace(/\.test\.js$/, '')
  return `${first.replaceAll(/[^a-z0-9]+/g, '-')}-and-${batch.length - 1}-more-${hash}`
}

function toSpecifier(program: string, file: string): string {
  const path = relative(dirname(program), file).replaceAll('\\', '/')
  return path.startsWith('.') ? path : `./${path}`
}
