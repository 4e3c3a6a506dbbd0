/**
 * Compiles the sources into dist/ when they have changed since, then runs the program of dist/ that it is given, in this
 * process: `npm run demo`, `token` and `migrate` start as fast as plain JavaScript does, and end with npm. It does
 * not check types; `npm test` and `npm run build` do.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('.', import.meta.url))
const dist = join(root, 'dist')
const stamp = join(dist, '.compiled')
const sources = [
  'app.ts',
  'server.ts',
  'worker.ts',
  'cli.ts',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
]
const folders = ['plugins', 'routes', 'lib']

// Taken before compiling: what is edited meanwhile is compiled next time.
const changedAt = findNewest()
if (readStamp() !== changedAt) compile(findCompiler())
const [node = '', , program, ...rest] = process.argv
if (program !== undefined) {
  const file = join(dist, program)
  process.argv = [node, file, ...rest]
  if (process.env.npm_lifecycle_event !== undefined) endWithParent()
  await import(pathToFileURL(file).href)
}

/** npm passes a signal on to the shell that it started this with, and not every shell passes it on. */
function endWithParent() {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, 250)
  timer.unref()
}

function compile(compiler) {
  // Installed without what development needs: what was built elsewhere is all there is.
  if (compiler === null && existsSync(dist)) return
  // Another process may be doing the same, or running what is there: the new folder appears whole.
  const fresh = join(root, `dist-${process.pid}`)
  const options = ['-p', 'tsconfig.build.json', '--noCheck', '--outDir', fresh]
  const { status } = spawnSync(process.execPath, [compiler, ...options], { cwd: root, stdio: 'inherit' })
  if (status !== 0) {
    rmSync(fresh, { recursive: true, force: true })
    process.exit(status ?? 1)
  }
  writeFileSync(join(fresh, '.compiled'), String(changedAt))
  const old = `${fresh}-old`
  if (existsSync(dist)) renameSync(dist, old)
  try {
    renameSync(fresh, dist)
  } catch {
    // The other process was quicker, with the same outcome.
    rmSync(fresh, { recursive: true, force: true })
  }
  rmSync(old, { recursive: true, force: true })
}

function findCompiler() {
  try {
    const manifest = createRequire(import.meta.url).resolve('typescript-native/package.json')
    return join(dirname(manifest), 'bin', 'tsc')
  } catch {
    return null
  }
}

/** What dist/ was compiled from, as `findNewest` told it; NaN if there is none. */
function readStamp() {
  return existsSync(stamp) ? Number(readFileSync(stamp, 'utf8')) : Number.NaN
}

/** When a source was last changed, added or removed, in milliseconds: a folder's own time tells the last two. */
function findNewest() {
  const inside = folders.flatMap(folder => [
    folder,
    ...readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(name => join(folder, name)),
  ])
  return Math.max(...[...sources, ...inside].map(name => statSync(join(root, name)).mtimeMs))
}
