import { setImmediate } from 'node:timers/promises'
import { type Matching, matchRule, type RuleSubject } from './match-rule.ts'
import type { Rule } from './schema.ts'

/** What was found of a rule, which may be another one by the time it is applied. */
export interface RuleMatch {
  readonly version: number
  readonly matched: boolean
}

/** Milliseconds after which others get their turn: many conditions on a long text take seconds together. */
const turn = 10

/**
 * Tries rules on a message, in their order, until one that matches stops it. Not in a transaction, which would hold its
 * locks, and on the embedded engine the only connection, for as long as it takes.
 */
export async function matchRules(
  rules: readonly (Matching & Pick<Rule, 'id' | 'version' | 'stop'>)[],
  subject: RuleSubject,
): Promise<ReadonlyMap<string, RuleMatch>> {
  const found = new Map<string, RuleMatch>()
  let since = performance.now()
  for (const rule of rules) {
    const { matched } = matchRule(rule, subject)
    found.set(rule.id, { version: rule.version, matched })
    if (matched && rule.stop) break
    if (performance.now() - since < turn) continue
    await setImmediate()
    since = performance.now()
  }
  return found
}
