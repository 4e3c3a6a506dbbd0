/**
 * `npm test`: lint, types, then every test, and a closing line `N passed, N failed`. Arguments are test files or
 * folders, so `npm test -- test/mcp test/app/me` runs some tests only. What runs is what the check of types compiled.
 */
import { spawn } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { findUncovered } from './coverage.ts'
import { runFiles, type Tally, toTally } from './run-files.ts'
import { useMemory } from './use-memory.ts'
import { writeBatch, writeBatches } from './write-batches.ts'

const compiled = '.build'
/** By its path: tap needs an older TypeScript, whose command has the same name. */
const compiler = 'node_modules/typescript-native/bin/tsc'
/** One after the other in one process, since they share the demo's data. */
const series = ['first-start', 'first-message', 'npm'].map(name => `test/app/demo/${name}.test.ts`)
/** Each of these folders has a process. */
const together = ['test/app/parity', 'test/clients', 'test/lib/jobs']
/** Tests that are about processes, or about time: each has its own. */
const alone = [
  'test/lib/mail/smtp/kill.test.ts',
  'test/app/demo',
  'test/app/plumbing/server.test.ts',
  'test/app/plumbing/idempotency-crash.test.ts',
  'test/lib/extract/linear-time.test.ts',
  'test/lib/webhooks/crash.test.ts',
]
const tally: Tally = { passed: 0, failed: 0 }

useMemory()
rmSync(compiled, { recursive: true, force: true })
await Promise.all([
  runCheck('lint', ['biome', 'check', '.']),
  runCheck('types', ['node', compiler, '-p', 'tsconfig.json', '--noEmit', 'false', '--outDir', compiled]),
])
const all = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.test.ts'))
  .map(file => `test/${file.replaceAll('\\', '/')}`)
  .sort()
const chosen = process.argv.slice(2).map(name => name.replace(/^\.\/|\/$/g, ''))
if (chosen.length > 0) await runChosen()
else await runEverything()

process.stdout.write(`\n${tally.passed} passed, ${tally.failed} failed\n`)
process.exitCode = tally.failed === 0 ? 0 : 1

async function runChosen(): Promise<void> {
  for (const name of chosen) {
    if (all.some(file => isWithin(file, name))) continue
    process.stdout.write(`there is no test in ${name}\n`)
    count({ passed: 0, failed: 1 })
  }
  count(await runFiles(all.filter(file => isOneOf(chosen, file)).map(toCompiled)))
}

// The plugin is to be covered by its own tests alone.
async function runEverything(): Promise<void> {
  const covered = all.filter(file => isWithin(file, 'test/mcp'))
  const others = all.filter(file => !covered.includes(file))
  await runCovered(writeBatches(compiled, covered.map(toCompiled)))
  const demo = writeBatch(compiled, series.map(toCompiled))
  const [parity = '', ...waiting] = together.map(folder =>
    writeBatch(compiled, others.filter(file => isWithin(file, folder)).map(toCompiled)),
  )
  const single = alone.flatMap(name => others.filter(file => isWithin(file, name) && !series.includes(file)))
  const rest = others.filter(file => !isOneOf([...alone, ...together], file))
  // What takes longest begins first, so that no processor is left waiting for it in the end: the last ones in the
  // alphabet wait for mail, workers and purges.
  const batches = writeBatches(compiled, rest.map(toCompiled)).toReversed()
  count(await runFiles([demo, parity, ...batches], [...waiting, ...single.map(toCompiled)]))
}

async function runCovered(files: readonly string[]): Promise<void> {
  const { code, output } = await run([
    'tap',
    'run',
    '--reporter=tap',
    '--coverage-report=json-summary',
    ...files,
  ])
  const found = toTally(output)
  if (found.failed === 0 && (code !== 0 || found.passed === 0)) found.failed = 1
  count(found)
  const uncovered = findUncovered(compiled)
  process.stdout.write(`coverage: ${uncovered.length === 0 ? 'passed' : uncovered.join('; ')}\n`)
  count(uncovered.length === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 })
}

async function runCheck(name: string, command: readonly string[]): Promise<void> {
  const { code } = await run(command)
  process.stdout.write(`${name}: ${code === 0 ? 'passed' : 'failed'}\n`)
  count(code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 })
}

function isOneOf(names: readonly string[], file: string): boolean {
  return names.some(name => isWithin(file, name))
}

function isWithin(file: string, name: string): boolean {
  return file === name || file.startsWith(`${name}/`)
}

function toCompiled(file: string): string {
  return `${compiled}/${file.replace(/\.ts$/, '.js')}`
}

function count({ passed, failed }: Tally): void {
  tally.passed += passed
  tally.failed += failed
}

function run(command: readonly string[]): Promise<{ code: number; output: string }> {
  const isShown = toBrief()
  return new Promise((resolve, reject) => {
    const child = spawn('npx', ['--no-install', ...command], { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    createInterface({ input: child.stdout }).on('line', line => {
      output += `${line}\n`
      if (isShown(line)) process.stdout.write(`${line}\n`)
    })
    child.on('error', reject)
    child.on('close', code => resolve({ code: code ?? 1, output }))
  })
}

/** Of tap's lines: one for each file, and all that is said about what failed. */
function toBrief(): (line: string) => boolean {
  let isFailing = false
  return line => {
    if (/^\s*not ok /.test(line)) isFailing = true
    else if (/^\s*(ok |# Subtest|1\.\.\d)/.test(line)) isFailing = false
    return isFailing || /^\S/.test(line)
  }
}
