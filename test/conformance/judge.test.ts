import { test } from 'tap'
import { type Check, judge, type ScenarioResult } from './judge.ts'
import { type ExpectedFailure, parseExpectedFailures } from './parse-expected-failures.ts'

const revisions = ['2026-07-28', '2025-06-18']

const check = (id: string, status: Check['status']): Check => ({ id, name: id, status })
const expecting = (...lines: string[]) => parseExpectedFailures(lines.join('\n'), revisions)

/** A verdict in short: what counts, and the names of what it names. */
function summarize(revision: string, results: ScenarioResult[], expectations: ExpectedFailure[] = []) {
  const { passed, failed, unexpected, stale, used } = judge(revision, results, expectations)
  return {
    passed,
    failed,
    unexpected: unexpected.map(failure => `${failure.scenario}:${failure.check.id}`),
    stale: stale.map(({ line }) => line),
    used: used.map(({ line }) => line),
  }
}

test('a failure that no line explains is unexpected', async t => {
  const results = [{ scenario: 'ping', checks: [check('ping', 'FAILURE'), check('pong', 'SUCCESS')] }]
  const verdict = summarize('2026-07-28', results)
  t.same(verdict, { passed: 1, failed: 1, unexpected: ['ping:ping'], stale: [], used: [] })
})

test('a warning is a failure, and a skipped or informative check is nothing', async t => {
  const checks = [check('a', 'WARNING'), check('b', 'SKIPPED'), check('c', 'INFO')]
  const verdict = summarize('2026-07-28', [{ scenario: 'ping', checks }])
  t.same(verdict, { passed: 0, failed: 1, unexpected: ['ping:a'], stale: [], used: [] })
})

test('a line for a scenario explains all of its failures', async t => {
  const checks = [check('image', 'FAILURE'), check('other', 'WARNING')]
  const results = [{ scenario: 'tools-call-image', checks }]
  const verdict = summarize('2026-07-28', results, expecting('* tools-call-image text only'))
  t.same(verdict, { passed: 0, failed: 2, unexpected: [], stale: [], used: [1] })
})

test('a line for a scenario does not excuse a message that breaks the schema', async t => {
  const checks = [check('image', 'FAILURE'), check('wire-schema-valid', 'FAILURE')]
  const results = [{ scenario: 'tools-call-image', checks }]
  const { unexpected } = summarize('2026-07-28', results, expecting('* tools-call-image text only'))
  t.same(unexpected, ['tools-call-image:wire-schema-valid'])
})

test('a line for one check leaves the others of its scenario enforced', async t => {
  const results = [{ scenario: 'caching', checks: [check('a', 'FAILURE'), check('b', 'FAILURE')] }]
  const { unexpected } = summarize('2026-07-28', results, expecting('* caching:a later'))
  t.same(unexpected, ['caching:b'])
})

test('a line is stale once what it explains passes', async t => {
  const results = [{ scenario: 'ping', checks: [check('ping', 'SUCCESS')] }]
  const verdict = summarize('2026-07-28', results, expecting('', '* ping it used to fail'))
  t.same(verdict, { passed: 1, failed: 0, unexpected: [], stale: [2], used: [] })
})

test('a line for one revision explains nothing in another', async t => {
  const results = [{ scenario: 'ping', checks: [check('ping', 'FAILURE')] }]
  const expectations = expecting('2025-06-18 ping only there')
  t.same(summarize('2026-07-28', results, expectations).unexpected, ['ping:ping'])
  t.same(summarize('2025-06-18', results, expectations).unexpected, [])
})

test('a line whose scenario is not in the set is neither used nor stale', async t => {
  const results = [{ scenario: 'ping', checks: [] }]
  const verdict = summarize('2026-07-28', results, expecting('* pong who knows'))
  t.same(verdict, { passed: 0, failed: 0, unexpected: [], stale: [], used: [] })
})

test('a line without a reason is refused by its number', async t => {
  t.throws(() => expecting('# heading', '', '* tools-call-image'), { message: /line 3/ })
})

test('a line for a revision that is never run is refused by its number', async t => {
  t.throws(() => expecting('2024-11-05 ping too old'), { message: /line 1: no revision "2024-11-05"/ })
})

test('headings and empty lines are no expectations', async t => {
  t.same(expecting('# Out of scope', '', '2026-07-28,2025-06-18 ping:pong because it is'), [
    { line: 3, revisions, scenario: 'ping', check: 'pong', reason: 'because it is' },
  ])
})
