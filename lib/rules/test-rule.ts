import { sql, type Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { emailNotFound } from '../emails/repository.ts'
import { emailId as emailIdSchema } from '../emails/schema.ts'
import { visibleEmails } from '../emails/visible-emails.ts'
import { mostFoldedText } from './fold-text.ts'
import { matchRule, toInboxNames, toRuleSubject } from './match-rule.ts'
import { getRule } from './repository.ts'
import type { RuleTest } from './schema.ts'
import { toChanges } from './to-changes.ts'

/**
 * What a rule, applied or not, would do to an e-mail as the worker left it; nothing is done. Throws `not_found`
 * without the rule, or without the e-mail.
 */
export async function testRule(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { id, emailId }: { id: string; emailId: string },
): Promise<RuleTest> {
  const rule = await getRule(trx, tenant, id)
  const email = await readEmail(trx, tenant, emailId)
  const subject = { ...toRuleSubject(email), inbox: toInboxNames(email.inbox) }
  const { matched, conditions } = matchRule(rule, subject)
  const isTold = matched && rule.actions.notify ? await wasTold(trx, tenant, { id, emailId }) : false
  const would = matched ? toChanges(rule.actions, email) : { label: [], mark: null }
  return {
    rule_id: rule.id,
    email_id: emailId,
    email_status: email.status,
    enabled: rule.enabled,
    matched,
    match: rule.match,
    conditions: rule.conditions.map((condition, index) => ({
      ...condition,
      matched: conditions[index] ?? false,
    })),
    would: { ...would, notify: matched && rule.actions.notify === true && !isTold },
  }
}

async function readEmail(trx: Transaction<Tables>, tenant: Tenant, id: string) {
  if (!emailIdSchema.safeParse(id).success) throw emailNotFound()
  const row = await visibleEmails(trx, tenant)
    .leftJoin('email_texts', join =>
      join
        .onRef('email_texts.workspace_id', '=', 'emails.workspace_id')
        .onRef('email_texts.email_id', '=', 'emails.id'),
    )
    .where('emails.id', '=', id)
    .select([
      'emails.status',
      'emails.subject',
      'emails.from_address',
      'emails.from_name',
      'emails.labels',
      'emails.read',
      'inboxes.id as inbox_id',
      'inboxes.address as inbox_address',
      sql<string | null>`left(email_texts.text, ${mostFoldedText}::int)`.as('text'),
      sql<string[]>`array(select distinct kind from extractions
        where extractions.workspace_id = emails.workspace_id and extractions.email_id = emails.id)`.as(
        'kinds',
      ),
    ])
    .executeTakeFirst()
  if (!row) throw emailNotFound()
  const { status, subject, from_address, from_name, labels, read, text, kinds } = row
  const from = from_address === null ? null : { address: from_address, name: from_name }
  const inbox = { id: row.inbox_id, address: row.inbox_address }
  return { status, subject, from, labels, read, text, extractionKinds: kinds, inbox }
}

async function wasTold(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { id, emailId }: { id: string; emailId: string },
): Promise<boolean> {
  const row = await trx
    .selectFrom('rule_matches')
    .where('workspace_id', '=', tenant.workspaceId)
    .where('email_id', '=', emailId)
    .where('rule_id', '=', id)
    .where('notified_at', 'is not', null)
    .select('rule_id')
    .executeTakeFirst()
  return row !== undefined
}
