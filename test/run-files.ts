import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { nodeFlags } from './project.ts'

export interface Tally {
  passed: number
  failed: number
}

/** Milliseconds that one file may take: some tests kill and restart real processes, and machines may be slow. */
const patience = 600_000

/** So many at a time: all of them wait now and then, and on a server for it, too, so that processors would idle. */
const jobs = Math.max(2, availableParallelism()) + (process.env.DATABASE_URL ? 2 : 1)

/**
 * Runs test files as the programs they are, each in a process of its own, some more at a time than there are processors.
 * `tap run` does the same at three times the cost, for coverage and for TypeScript, of which these need neither.
 *
 * @param files in the order in which they begin
 * @param idle those that mostly wait, for processes and timers: one of them runs beside the others, as long as there are
 * both, so that processors neither idle nor are fought for
 */
export async function runFiles(files: readonly string[], idle: readonly string[] = []): Promise<Tally> {
  const busy = [...files]
  const waiting = [...idle]
  const tally = { passed: 0, failed: 0 }
  const work = async (first: string[], then: string[]) => {
    const next = () => first.shift() ?? then.shift()
    for (let file = next(); file !== undefined; file = next()) {
      const { passed, failed } = await runFile(file)
      tally.passed += passed
      tally.failed += failed
    }
  }
  const others = Array.from({ length: jobs - 1 }, () => work(busy, waiting))
  await Promise.all([work(waiting, busy), ...others])
  return tally
}

async function runFile(file: string): Promise<Tally> {
  const startedAt = Date.now()
  const { code, output } = await runNode(file)
  const found = toTally(output)
  // A crash, a time-out or an empty file fails no assertion, and fails all the same. A file may be skipped, and say so.
  const isEmpty = found.passed === 0 && !/^ok \d+ - .*# SKIP/m.test(output)
  if (found.failed === 0 && (code !== 0 || isEmpty)) found.failed = 1
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1)
  process.stdout.write(`${found.failed === 0 ? 'ok' : 'not ok'} ${file} # ${found.passed} in ${seconds} s\n`)
  if (found.failed > 0) process.stdout.write(`${toFailures(output)}\nexit code: ${code}\n`)
  return found
}

function runNode(file: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, TAP_TIMEOUT: String(patience / 1_000) }
    const child = spawn(process.execPath, [...nodeFlags, file], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const keep = (text: string) => {
      output += text
    }
    child.stdout.setEncoding('utf8').on('data', keep)
    child.stderr.setEncoding('utf8').on('data', keep)
    const timer = setTimeout(() => {
      keep(`\nnot ok - ${file} was not over after ${patience / 1_000} s\n`)
      child.kill('SIGKILL')
    }, patience)
    child.on('error', reject)
    child.on('close', code => {
      clearTimeout(timer)
      resolve({ code, output })
    })
  })
}

/** tap closes with `# { total: 12, pass: 11, fail: 1 }`, leaving out what is zero. */
export function toTally(output: string): Tally {
  const summary = output.match(/^# \{ total: \d+[^}]*\}/gm)?.at(-1) ?? ''
  const read = (word: string): number => Number(new RegExp(`\\b${word}: (\\d+)`).exec(summary)?.[1] ?? 0)
  return { passed: read('pass'), failed: read('fail') }
}

/** Of a file's output, all that does not say that something went well. */
function toFailures(output: string): string {
  return output
    .split('\n')
    .filter(line => !/^\s*(ok |# Subtest|1\.\.\d|TAP version)/.test(line))
    .slice(0, 400)
    .join('\n')
}
