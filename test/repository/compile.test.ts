import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { projectFile } from '../project.ts'

/** A project of one module, which compile.mjs compiles and runs. */
function createProject(t: { teardown(work: () => void): void }) {
  const root = mkdtempSync(join(tmpdir(), 'kobana-inbox-compile-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  for (const file of ['compile.mjs', 'package.json', 'tsconfig.json', 'tsconfig.build.json']) {
    cpSync(projectFile(file), join(root, file), { preserveTimestamps: true })
  }
  symlinkSync(projectFile('node_modules'), join(root, 'node_modules'))
  for (const folder of ['plugins', 'routes', 'lib']) mkdirSync(join(root, folder))
  for (const name of ['app', 'server', 'worker']) writeFileSync(join(root, `${name}.ts`), 'export {}\n')
  writeFileSync(join(root, 'cli.ts'), `import { word } from './lib/word.ts'\nconsole.log(word)\n`)
  const source = join(root, 'lib', 'word.ts')
  const say = (word: string) => writeFileSync(source, `export const word: string = '${word}'\n`)
  say('first')
  const run = () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['compile.mjs', 'cli.js'], {
      cwd: root,
      encoding: 'utf8',
    })
    return stdout + stderr
  }
  return { root, source, say, run }
}

test('sources are compiled once, and again when they have changed', t => {
  const { root, source, say, run } = createProject(t)
  t.equal(run(), 'first\n')
  // What nobody would write by hand shows whether it was compiled again.
  const compiled = join(root, 'dist', 'lib', 'word.js')
  writeFileSync(compiled, `export const word = 'kept'\n`)
  t.equal(run(), 'kept\n')
  say('second')
  t.equal(run(), 'second\n')
  // An older state of the sources is another one, too.
  utimesSync(source, new Date(1_000), new Date(1_000))
  say('third')
  t.equal(run(), 'third\n')
  rmSync(source)
  writeFileSync(join(root, 'lib', 'other.ts'), 'export {}\n')
  run()
  t.notOk(existsSync(compiled), 'what is gone is gone from there as well')
  t.end()
})

test('to whatever part of a millisecond a file system keeps time, what is compiled is known again', t => {
  const { root, source, run } = createProject(t)
  for (const seconds of [4_102_444_800.204348, 4_102_444_800.221999, 4_102_444_801.5, 4_102_444_802]) {
    utimesSync(source, seconds, seconds)
    t.equal(run(), 'first\n')
    const stamp = readFileSync(join(root, 'dist', '.compiled'), 'utf8')
    writeFileSync(join(root, 'dist', 'lib', 'word.js'), `export const word = 'kept'\n`)
    t.equal(run(), 'kept\n', stamp)
  }
  t.end()
})
