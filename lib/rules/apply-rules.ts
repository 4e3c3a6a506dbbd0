import { sql, type Transaction } from 'kysely'
import type { Database, Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { matchRule, type RuleSubject } from './match-rule.ts'
import { matchRules, type RuleMatch } from './match-rules.ts'
import { ruleColumns } from './repository.ts'
import { mostRules, type Rule } from './schema.ts'
import { type Marks, toChanges } from './to-changes.ts'

export interface AppliedRules {
  /** The e-mail's labels and read mark afterwards. */
  readonly marks: Marks
  /** Those that are to be told, in their order: once per e-mail and rule, whatever is processed again. */
  readonly notifying: readonly Pick<Rule, 'id' | 'key' | 'name'>[]
}

/** A message, and what was found of the rules before the transaction that applies them. */
export interface TriedMessage {
  readonly subject: RuleSubject
  readonly found: ReadonlyMap<string, RuleMatch>
}

/** Tries the enabled rules on a message, outside of any transaction; `applyRules` makes use of what is found. */
export async function tryRules(
  database: Database,
  tenant: Tenant,
  subject: RuleSubject,
): Promise<TriedMessage> {
  const rules = await database.inTenant(tenant, trx => enabledRules(trx, tenant))
  return { subject, found: await matchRules(rules, subject) }
}

/**
 * Applies the enabled rules that are true of a message, in their order, and notes which they are. Lock the e-mail
 * first; writing its marks and telling the webhooks is the caller's.
 */
export async function applyRules(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { emailId, tried, marks }: { emailId: string; tried: TriedMessage; marks: Marks },
): Promise<AppliedRules> {
  const matching = toMatching(await enabledRules(trx, tenant), tried)
  if (matching.length === 0) return { marks, notifying: [] }
  const there = await lockRules(trx, tenant, matching)
  const effective = matching.filter(({ id }) => there.has(id))
  let after = marks
  for (const { actions } of effective) {
    const { label, mark } = toChanges(actions, after)
    after = { labels: [...after.labels, ...label], read: after.read || mark === 'read' }
  }
  return { marks: after, notifying: await noteMatches(trx, tenant, { emailId, rules: effective }) }
}

function enabledRules(trx: Transaction<Tables>, tenant: Tenant): Promise<readonly Rule[]> {
  return (
    trx
      .selectFrom('rules')
      .where('workspace_id', '=', tenant.workspaceId)
      .where('enabled', '=', true)
      .select(ruleColumns)
      .orderBy('priority')
      .orderBy('id')
      // Above what a workspace may have: callers at the same moment can pass the count.
      .limit(mostRules * 2)
      .execute()
  )
}

function toMatching(rules: readonly Rule[], { subject, found }: TriedMessage): Rule[] {
  const matching: Rule[] = []
  for (const rule of rules) {
    const known = found.get(rule.id)
    // Only those that were edited meanwhile, or stood behind one that was, are tried here.
    const matched = known?.version === rule.version ? known.matched : matchRule(rule, subject).matched
    if (!matched) continue
    matching.push(rule)
    if (rule.stop) break
  }
  return matching
}

/** In the order of their ids, so that two workers that match the same rules cannot wait for each other. */
async function lockRules(
  trx: Transaction<Tables>,
  tenant: Tenant,
  rules: readonly Rule[],
): Promise<ReadonlySet<string>> {
  const rows = await trx
    .selectFrom('rules')
    .where('workspace_id', '=', tenant.workspaceId)
    .where(
      'id',
      'in',
      rules.map(({ id }) => id),
    )
    .select('id')
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Counts each match once, and gives the rules that have not told of this e-mail yet. */
async function noteMatches(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { emailId, rules }: { emailId: string; rules: readonly Rule[] },
): Promise<Rule[]> {
  if (rules.length === 0) return []
  const known = await trx
    .selectFrom('rule_matches')
    .where('workspace_id', '=', tenant.workspaceId)
    .where('email_id', '=', emailId)
    .select(['rule_id', 'notified_at'])
    .execute()
  const notifiedAt = new Map(known.map(row => [row.rule_id, row.notified_at]))
  const notifying = rules.filter(({ id, actions }) => actions.notify && !notifiedAt.get(id))
  const changed = rules.filter(rule => !notifiedAt.has(rule.id) || notifying.includes(rule))
  if (changed.length > 0) {
    await trx
      .insertInto('rule_matches')
      .values(
        changed.map(rule => ({
          workspace_id: tenant.workspaceId,
          rule_id: rule.id,
          email_id: emailId,
          notified_at: notifying.includes(rule) ? sql<string>`now()` : null,
        })),
      )
      .onConflict(conflict =>
        conflict
          .columns(['workspace_id', 'email_id', 'rule_id'])
          .doUpdateSet({ notified_at: sql<string>`excluded.notified_at` }),
      )
      .execute()
  }
  const fresh = rules.flatMap(({ id }) => (notifiedAt.has(id) ? [] : [id]))
  if (fresh.length > 0) await countMatches(trx, tenant, fresh)
  return notifying
}

/** Neither version nor updated_at: those are of edits. */
async function countMatches(trx: Transaction<Tables>, tenant: Tenant, ids: readonly string[]): Promise<void> {
  await trx
    .updateTable('rules')
    .set({ matched_count: sql<number>`matched_count + 1`, last_matched_at: sql<string>`now()` })
    .where('workspace_id', '=', tenant.workspaceId)
    .where('id', 'in', ids)
    .execute()
}
