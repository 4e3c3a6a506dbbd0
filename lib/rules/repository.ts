import { sql, type Transaction } from 'kysely'
import { z } from 'zod'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { createId } from '../id/id.ts'
import { parseCursor } from '../paging/cursor.ts'
import { type Page, toPage } from '../paging/page.ts'
import { problem } from '../problem/problem.ts'
import { checkIfMatch } from '../versions/if-match.ts'
import { type Rule, type RulesQuery, ruleId, type UpsertedRule } from './schema.ts'

/** One page of the workspace's rules, in the order in which they are tried. */
export async function listRules(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { limit, cursor, ...filters }: RulesQuery,
): Promise<Page<Rule>> {
  const listing = { operation: 'rules_list', owner: tenant.workspaceId, filters }
  let query = rulesOf(trx, tenant)
  if (filters.enabled !== undefined) query = query.where('enabled', '=', filters.enabled)
  if (filters.key !== undefined) query = query.where('key', '=', filters.key)
  if (cursor !== undefined) {
    const [priority, id] = parseCursor(listing, cursor, z.tuple([z.string().regex(/^\d{1,4}$/), ruleId]))
    query = query.where(sql<boolean>`(priority, id) > (${priority}::integer, ${id})`)
  }
  const rows = await query
    .select(ruleColumns)
    .orderBy('priority')
    .orderBy('id')
    .limit(limit + 1)
    .execute()
  return toPage(rows, { limit, listing, position: row => [String(row.priority), row.id] })
}

/** One rule. Throws `not_found`. */
export async function getRule(trx: Transaction<Tables>, tenant: Tenant, id: string): Promise<Rule> {
  const rule = await ruleById(trx, tenant, id).executeTakeFirst()
  if (!rule) throw ruleNotFound()
  return rule
}

/** Deletes a rule; what it did to e-mails stays. Throws `not_found`, then `precondition_failed`. */
export async function deleteRule(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { id, ifMatch }: { id: string; ifMatch: string | undefined },
): Promise<void> {
  const rule = await ruleById(trx, tenant, id).forUpdate().executeTakeFirst()
  if (!rule) throw ruleNotFound()
  checkIfMatch(ifMatch, rule.version)
  await trx
    .deleteFrom('rules')
    .where('workspace_id', '=', tenant.workspaceId)
    .where('id', '=', rule.id)
    .execute()
}

/** The rule with this key, locked until the transaction ends; undefined where there is none. */
export function lockRuleByKey(trx: Transaction<Tables>, tenant: Tenant, key: string) {
  return rulesOf(trx, tenant).where('key', '=', key).select(ruleColumns).forUpdate().executeTakeFirst()
}

/** Undefined when the workspace has a rule with the key: a unique index decides. */
export function insertRule(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { conditions, actions, ...rule }: UpsertedRule,
): Promise<Rule | undefined> {
  return trx
    .insertInto('rules')
    .values({
      id: createId('rul'),
      organization_id: tenant.organizationId,
      workspace_id: tenant.workspaceId,
      ...rule,
      conditions: JSON.stringify(conditions),
      actions: JSON.stringify(actions),
    })
    .onConflict(conflict => conflict.columns(['workspace_id', 'key']).doNothing())
    .returning(ruleColumns)
    .executeTakeFirst()
}

/** Writes changes to a locked rule. */
export function changeRule(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { rule, changes }: { rule: Rule; changes: Omit<UpsertedRule, 'key'> },
): Promise<Rule> {
  const { conditions, actions, ...rest } = changes
  return trx
    .updateTable('rules')
    .set({
      ...rest,
      conditions: JSON.stringify(conditions),
      actions: JSON.stringify(actions),
      version: rule.version + 1,
      updated_at: sql<string>`now()`,
    })
    .where('workspace_id', '=', tenant.workspaceId)
    .where('id', '=', rule.id)
    .returning(ruleColumns)
    .executeTakeFirstOrThrow()
}

export async function countRules(trx: Transaction<Tables>, tenant: Tenant): Promise<number> {
  const { count } = await rulesOf(trx, tenant)
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export const ruleColumns = [
  'id',
  'key',
  'name',
  'description',
  'enabled',
  'priority',
  'stop',
  'match',
  'conditions',
  'actions',
  'matched_count',
  'last_matched_at',
  'version',
  'created_at',
  'updated_at',
] as const

function rulesOf(trx: Transaction<Tables>, tenant: Tenant) {
  return trx.selectFrom('rules').where('workspace_id', '=', tenant.workspaceId)
}

function ruleById(trx: Transaction<Tables>, tenant: Tenant, id: string) {
  if (!ruleId.safeParse(id).success) throw ruleNotFound()
  return rulesOf(trx, tenant).where('id', '=', id).select(ruleColumns)
}

/** One answer for ids that never existed, that are malformed, deleted or another tenant's: it tells nothing. */
function ruleNotFound() {
  return problem('not_found', 'There is no such rule in this workspace.')
}
