import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** Files in one process: it loads the application once for all of them, which costs more than most of their tests. */
const most = 20

/**
 * A root that has something to tear down ends when it has no test to run, and so while the next file is still loaded,
 * whose tests would be lost: one test that runs beside the others keeps it open.
 */
const opening = [
  `import tap from 'tap'`,
  'tap.jobs = 2',
  'let close',
  `tap.test('every file of the batch is loaded', { buffered: true, timeout: 0 }, async t => {`,
  '  await new Promise(resolve => { close = resolve })',
  `  t.pass('the last one, too')`,
  '})',
]
const closing = ['tap.jobs = 1', 'close()']

/**
 * Writes programs that run several test files each, one after the other, and returns them. tap has one suite for a
 * process, so that their tests stand in one report, in which what fails names its file.
 *
 * @param folder where the programs go, from the root
 * @param files compiled tests, from the root
 */
export function writeBatches(folder: string, files: readonly string[]): readonly string[] {
  const count = Math.ceil(files.length / most)
  const size = Math.ceil(files.length / count)
  return Array.from({ length: count }, (_, index) => {
    return writeBatch(folder, files.slice(index * size, (index + 1) * size))
  })
}

/** The same for files that belong together, in this order. */
export function writeBatch(folder: string, batch: readonly string[]): string {
  const program = join(folder, 'batches', `${toName(batch)}.test.js`)
  mkdirSync(dirname(program), { recursive: true })
  const files = batch.map(file => `await import('${toSpecifier(program, file)}')`)
  writeFileSync(program, `${[...opening, ...files, ...closing].join('\n')}\n`)
  return program
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
