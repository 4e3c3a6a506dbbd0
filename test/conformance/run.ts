/**
 * `npm run conformance [-- [REVISION…] [--results DIR]]`: the official conformance suite against
 * plugins/mcp on toy routes, once for each revision. See README.md beside this file.
 *
 * Exits 1 when something failed that expected-failures.txt does not explain, and when a line of that
 * file explains nothing any more.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createFixture } from './fixture/app.ts'
import { judge, type Verdict } from './judge.ts'
import { parseExpectedFailures } from './parse-expected-failures.ts'
import { runSuite } from './run-suite.ts'
import { startTokenProxy } from './token-proxy.ts'

interface Revision {
  readonly name: string
  readonly selection: readonly string[]
  /** What the fixture speaks; undefined for the plugin's default list. */
  readonly protocolVersions?: readonly string[]
}

/**
 * The suite's 2025 client always opens with 2025-11-25 and takes what the server settles on, so that a
 * server which speaks that revision is never tested with an older one: the list is what chooses.
 */
const revisions: readonly Revision[] = [
  { name: '2026-07-28', selection: ['--requirements', '2026-07-28'] },
  {
    name: '2025-11-25',
    selection: ['--requirements', '2025-11-25'],
    protocolVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'],
  },
  { name: '2025-06-18', selection: ['--suite', 'all', '--spec-version', '2025-06-18'] },
]
const names = revisions.map(({ name }) => name)

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { results: { type: 'string' } },
})
const unknown = positionals.find(name => !names.includes(name))
if (unknown !== undefined) throw new Error(`no revision "${unknown}"; there are ${names.join(', ')}`)
const chosen = revisions.filter(({ name }) => positionals.length === 0 || positionals.includes(name))

const expectations = parseExpectedFailures(
  await readFile(new URL('expected-failures.txt', import.meta.url), 'utf8'),
  names,
)
const results =
  values.results === undefined ? await mkdtemp(join(tmpdir(), 'conformance-')) : resolve(values.results)
try {
  await main()
} finally {
  if (values.results === undefined) await rm(results, { recursive: true, force: true })
}

async function main(): Promise<void> {
  const verdicts: Verdict[] = []
  for (const revision of chosen) {
    const verdict = await examine(revision)
    report(revision.name, verdict)
    verdicts.push(verdict)
  }
  const unmatched = chosen.length === revisions.length ? findUnmatched(verdicts) : []
  for (const { line, scenario } of unmatched) {
    console.log(`STALE line ${line}: ${scenario} is in no revision's set`)
  }
  const isClean = verdicts.every(({ unexpected, stale }) => unexpected.length === 0 && stale.length === 0)
  process.exitCode = isClean && unmatched.length === 0 ? 0 : 1
}

async function examine({ name, selection, protocolVersions }: Revision): Promise<Verdict> {
  const token = randomUUID()
  const proxy = await startTokenProxy(token)
  const app = await createFixture({ token, origin: proxy.origin, protocolVersions })
  try {
    const address = await app.listen({ host: '127.0.0.1', port: 0 })
    proxy.forwardTo(Number(new URL(address).port))
    const directory = join(results, name)
    await rm(directory, { recursive: true, force: true })
    await mkdir(directory, { recursive: true })
    return judge(name, await runSuite(`${proxy.origin}/mcp`, selection, directory), expectations)
  } finally {
    await proxy.close()
    await app.close()
  }
}

function report(name: string, { passed, failed, unexpected, stale }: Verdict): void {
  console.log(`${name}: ${passed} passed, ${failed} failed`)
  console.log(`  ${failed - unexpected.length} of the failures are expected, ${unexpected.length} are not`)
  for (const { scenario, check } of unexpected) {
    console.log(`  UNEXPECTED ${scenario}:${check.id} (${check.name}): ${check.errorMessage ?? 'no message'}`)
  }
  for (const { line, scenario, check } of stale) {
    const entry = check === null ? scenario : `${scenario}:${check}`
    console.log(`  STALE line ${line}: ${entry} did not fail; remove the line`)
  }
}

/** A line that no revision had a use for and none called stale names a scenario that does not exist. */
function findUnmatched(verdicts: readonly Verdict[]) {
  const known = new Set(verdicts.flatMap(({ used, stale }) => [...used, ...stale]))
  return expectations.filter(expectation => !known.has(expectation))
}
