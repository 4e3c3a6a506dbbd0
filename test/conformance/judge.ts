import type { ExpectedFailure } from './parse-expected-failures.ts'

/** One verdict of the suite, as its `checks.json` has it (what is not read here left out). */
export interface Check {
  readonly id: string
  readonly name: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  readonly errorMessage?: string | undefined
}

export interface ScenarioResult {
  readonly scenario: string
  readonly checks: readonly Check[]
}

export interface Failure {
  readonly scenario: string
  readonly check: Check
}

export interface Verdict {
  readonly passed: number
  /** Everything that did not pass, expected or not. */
  readonly failed: number
  readonly unexpected: readonly Failure[]
  /** Lines that hold for this revision and excused nothing in a scenario that ran. */
  readonly stale: readonly ExpectedFailure[]
  /** Lines that excused something. */
  readonly used: readonly ExpectedFailure[]
}

/**
 * Holds what the suite found against what was expected of one revision.
 *
 * A warning counts as a failure, as in the suite's own baselines: it is how the suite reports a SHOULD,
 * and a SHOULD that is not followed needs its reason as well. Skipped and informative checks count on
 * neither side.
 */
export function judge(
  revision: string,
  results: readonly ScenarioResult[],
  expectations: readonly ExpectedFailure[],
): Verdict {
  const holding = expectations.filter(({ revisions }) => revisions?.includes(revision) ?? true)
  const failures = results.flatMap(({ scenario, checks }) =>
    checks.filter(isFailed).map(check => ({ scenario, check })),
  )
  const used = holding.filter(expectation => failures.some(failure => isExcusedBy(failure, expectation)))
  const ran = new Set(results.map(({ scenario }) => scenario))

  return {
    passed: results.flatMap(({ checks }) => checks).filter(({ status }) => status === 'SUCCESS').length,
    failed: failures.length,
    unexpected: failures.filter(failure => !used.some(expectation => isExcusedBy(failure, expectation))),
    stale: holding.filter(expectation => ran.has(expectation.scenario) && !used.includes(expectation)),
    used,
  }
}

function isFailed({ status }: Check): boolean {
  return status === 'FAILURE' || status === 'WARNING'
}

/**
 * A line for a whole scenario says that the feature is absent. It never says that a message on the wire
 * may break the protocol's schema: that check has to be named to be excused.
 */
function isExcusedBy({ scenario, check }: Failure, expectation: ExpectedFailure): boolean {
  if (scenario !== expectation.scenario) return false
  if (expectation.check !== null) return check.id === expectation.check
  return check.id !== 'wire-schema-valid'
}
