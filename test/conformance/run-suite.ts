import { spawn } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Check, ScenarioResult } from './judge.ts'

const suite = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js')
const globSyncHook = new URL('glob-sync-on-node-20.mjs', import.meta.url).href

const scenarioTimeout = 30_000
const suiteTimeout = 10 * 60_000

/**
 * Runs the suite's server scenarios against a URL and gives back what it found, scenario by scenario in
 * the order they ran.
 *
 * @param selection the suite's own arguments that say which scenarios run
 * @param resultsDir an empty directory for the suite's `checks.json` files
 * @throws Error when the suite did not run to its end: a suite that died is never a pass
 */
export async function runSuite(
  url: string,
  selection: readonly string[],
  resultsDir: string,
): Promise<ScenarioResult[]> {
  const output = stripVTControlCharacters(
    await captureSuite(['--url', url, '-o', resultsDir, '--timeout', String(scenarioTimeout), ...selection]),
  )
  const announced = Number(/^Running .* \((\d+) scenarios\)/m.exec(output)?.[1] ?? Number.NaN)
  const scenarios = [...output.matchAll(/^=== Running scenario: (.+) ===$/gm)].map(match => match[1] ?? '')
  if (announced !== scenarios.length || scenarios.length === 0) {
    throw new Error(`the suite stopped early; the end of its output:\n${output.slice(-2000)}`)
  }
  const directories = await readdir(resultsDir)
  return Promise.all(
    scenarios.map(async scenario => ({
      scenario,
      checks: await readChecks(scenario, resultsDir, directories),
    })),
  )
}

/** Its exit code is not looked at: it is 1 for any failure, and which failures are expected is not its affair. */
function captureSuite(parameters: readonly string[]): Promise<string> {
  const onNode20 = process.versions.node.startsWith('20.') ? ['--import', globSyncHook] : []
  const child = spawn(process.execPath, [...onNode20, suite, 'server', ...parameters], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: suiteTimeout,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', chunk => {
      output += chunk
    })
  }
  return new Promise((done, failed) => {
    child.on('error', failed)
    child.on('close', () => done(output))
  })
}

/**
 * The suite writes `server-SCENARIO-TIMESTAMP/checks.json` at a scenario's end. One that threw has none:
 * it failed, whatever it was going to find.
 */
async function readChecks(
  scenario: string,
  resultsDir: string,
  directories: readonly string[],
): Promise<Check[]> {
  const directory = directories.find(name => /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(name)?.[1] === scenario)
  try {
    return JSON.parse(await readFile(join(resultsDir, directory ?? '', 'checks.json'), 'utf8'))
  } catch (error) {
    const errorMessage = `the scenario left no result: ${error instanceof Error ? error.message : error}`
    return [{ id: scenario, name: scenario, status: 'FAILURE', errorMessage }]
  }
}
