import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { problem } from '../problem/problem.ts'
import { checkIfMatch } from '../versions/if-match.ts'
import { changeRule, countRules, insertRule, lockRuleByKey } from './repository.ts'
import { mostRules, type Rule, type UpsertedRule } from './schema.ts'

/**
 * Makes the workspace's rule with this key what `rule` says, and tells whether it had to be created. Members
 * that are left out keep their values; changes that change nothing leave the version as it is. However many
 * callers come at once, one of them creates it. Throws `precondition_failed`, which a caller who names a version
 * of a rule that does not exist gets as well, and `conflict` where the workspace has no room for one more.
 */
export async function upsertRule(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { rule, ifMatch }: { rule: UpsertedRule; ifMatch: string | undefined },
): Promise<{ rule: Rule; created: boolean }> {
  const before = await lockRuleByKey(trx, tenant, rule.key)
  checkIfMatch(ifMatch, before?.version)
  if (before) return { rule: await change(trx, tenant, { before, rule }), created: false }
  // Callers at the same moment may end a few above: it bounds work, and nothing depends on the exact number.
  if ((await countRules(trx, tenant)) >= mostRules) throw tooManyRules()
  const created = await insertRule(trx, tenant, rule)
  if (created) return { rule: created, created: true }
  // Somebody was faster, and is to be seen now.
  const faster = await lockRuleByKey(trx, tenant, rule.key)
  if (!faster) throw problem('conflict', 'A rule with this key was just created and deleted. Try again.')
  return { rule: await change(trx, tenant, { before: faster, rule }), created: false }
}

async function change(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { before, rule }: { before: Rule; rule: UpsertedRule },
): Promise<Rule> {
  const { key: _, ...changes } = rule
  const same = Object.entries(changes).every(
    ([name, value]) => value === undefined || isDeepStrictEqual(value, Reflect.get(before, name)),
  )
  return same ? before : changeRule(trx, tenant, { rule: before, changes })
}

function tooManyRules() {
  return problem(
    'conflict',
    `A workspace has at most ${mostRules} rules. Delete one, or widen one that exists.`,
  )
}
