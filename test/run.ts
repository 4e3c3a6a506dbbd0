/**
 * `npm test`: lint, types, then every test, and a closing line `N passed, N failed`. Further arguments go to tap,
 * so `npm test -- test/mcp/*.test.ts` runs some tests only.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { findUncovered } from './coverage.ts'

interface Tally {
  passed: number
  failed: number
}

const tally: Tally = { passed: 0, failed: 0 }

await runCheck('lint', ['biome', 'check', '.'])
await runCheck('types', ['tsc', '-p', 'tsconfig.json'])
const chosen = process.argv.slice(2)
if (chosen.length > 0) await runTap(['--disable-coverage', ...chosen])
else await runEverything()

process.stdout.write(`\n${tally.passed} passed, ${tally.failed} failed\n`)
process.exitCode = tally.failed === 0 ? 0 : 1

async function runCheck(name: string, command: readonly string[]): Promise<void> {
  const { code } = await run(command)
  process.stdout.write(`${name}: ${code === 0 ? 'passed' : 'failed'}\n`)
  count(code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 })
}

// The plugin is to be covered by its own tests alone; what the rest starts in other processes, under another loader,
// would only blur the count.
async function runEverything(): Promise<void> {
  await runTap(['--coverage-report=json-summary', 'test/mcp/*.test.ts'])
  checkCoverage()
  await runTap(['--disable-coverage', 'test/!(mcp)/**/*.test.ts'])
}

async function runTap(args: readonly string[]): Promise<void> {
  const { code, output } = await run(['tap', 'run', '--reporter=tap', ...args], toBrief())
  const found = toTally(output)
  count(found)
  // A crash or a time-out fails no assertion, and fails all the same.
  if (code !== 0 && found.failed === 0) count({ passed: 0, failed: 1 })
  if (code === 0 && found.passed === 0) count({ passed: 0, failed: 1 })
}

function checkCoverage(): void {
  const uncovered = findUncovered()
  process.stdout.write(`coverage: ${uncovered.length === 0 ? 'passed' : uncovered.join('; ')}\n`)
  count(uncovered.length === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 })
}

// tap closes with `# { total: 12, pass: 11, fail: 1 }`, leaving out what is zero.
function toTally(output: string): Tally {
  const summaries = output.match(/\{ total: \d+[^}]*\}/g)
  const summary = summaries?.at(-1) ?? ''
  const read = (word: string): number => Number(new RegExp(`\\b${word}: (\\d+)`).exec(summary)?.[1] ?? 0)
  return { passed: read('pass'), failed: read('fail') }
}

function count({ passed, failed }: Tally): void {
  tally.passed += passed
  tally.failed += failed
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

function run(
  command: readonly string[],
  isShown: (line: string) => boolean = () => true,
): Promise<{ code: number; output: string }> {
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
