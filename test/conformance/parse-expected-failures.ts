export interface ExpectedFailure {
  /** Line of the file, from 1, for messages. */
  readonly line: number
  /** Revisions that it holds for; null for every revision whose set has the scenario. */
  readonly revisions: readonly string[] | null
  readonly scenario: string
  /** One check of the scenario; null for all of them, `wire-schema-valid` excepted. */
  readonly check: string | null
  readonly reason: string
}

/**
 * Reads the expected failures: one a line, `REVISIONS SCENARIO[:CHECK] REASON`, where REVISIONS is `*`
 * or a comma list. Empty lines and lines that begin with `#` are for people.
 *
 * A line without a reason, and a revision that is never run, are errors that name the line: a failure
 * that nobody explained is not expected.
 */
export function parseExpectedFailures(text: string, revisions: readonly string[]): ExpectedFailure[] {
  const expected: ExpectedFailure[] = []
  for (const [index, content] of text.split('\n').entries()) {
    const line = index + 1
    if (content.trim() === '' || content.startsWith('#')) continue
    const [, named = '', entry = '', reason = ''] = /^(\S+)\s+(\S+)\s+(\S.*)$/.exec(content.trim()) ?? []
    if (reason === '') throw new Error(`expected failures, line ${line}: not "REVISIONS SCENARIO REASON"`)
    expected.push({
      line,
      revisions: parseRevisions(named, { line, revisions }),
      ...parseEntry(entry),
      reason,
    })
  }
  return expected
}

function parseRevisions(
  named: string,
  { line, revisions }: { line: number; revisions: readonly string[] },
): string[] | null {
  if (named === '*') return null
  const list = named.split(',')
  const unknown = list.find(revision => !revisions.includes(revision))
  if (unknown !== undefined) throw new Error(`expected failures, line ${line}: no revision "${unknown}"`)
  return list
}

/** Scenario names hold no colon; the suite's own names for checks, `scenario:check`, are kept. */
function parseEntry(entry: string): { scenario: string; check: string | null } {
  const colon = entry.indexOf(':')
  if (colon === -1) return { scenario: entry, check: null }
  return { scenario: entry.slice(0, colon), check: entry.slice(colon + 1) }
}
