import { z } from 'zod'
import { extractionKinds } from '../extract/extraction.ts'
import { line } from '../fields/line.ts'
import { paragraph } from '../fields/paragraph.ts'
import { queryBoolean } from '../fields/query-boolean.ts'
import { timestamp } from '../fields/timestamp.ts'
import { idSchema } from '../id/id.ts'
import { pageQuery } from '../paging/schema.ts'
import { foldText } from './fold-text.ts'

export const ruleId = idSchema('rul')

/** So many rules a workspace has: each is compared with each message. */
export const mostRules = 100

const fields = ['from', 'subject', 'text', 'extraction', 'inbox'] as const
const operators = ['equals', 'contains', 'ends_with'] as const

const condition = z
  .strictObject({
    field: z
      .enum(fields)
      .describe(
        'from: the From header; subject; text: the plain text; extraction: kinds of what was proved; inbox: its id or address.',
      ),
    operator: z
      .enum(operators)
      .describe('Case and accents never matter. extraction and inbox take equals only.'),
    value: line(200).describe(
      'What to compare with. For from with ends_with: @domain, or .domain for those below it. For extraction: a kind, such as boleto. No patterns: every character stands for itself.',
    ),
  })
  .superRefine((condition, context) => {
    const message = toMistake(condition)
    if (message) context.addIssue({ code: 'custom', message, path: ['value'] })
  })

const actions = z
  .strictObject({
    label: z
      .array(line(50))
      .min(1)
      .max(10)
      .optional()
      .describe('Labels to add, at most 10. An e-mail has at most 20: what goes beyond is left out.'),
    mark: z.literal('read').optional().describe('read: marks the e-mail as read.'),
    notify: z.literal(true).optional().describe('true: tells webhooks rule.matched, once per e-mail.'),
  })
  .refine(actions => Object.keys(actions).length > 0, 'give at least one of label, mark and notify')

const match = z.enum(['all', 'any'])
const conditions = z.array(condition).min(1).max(20)

const common = {
  key: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  enabled: z.boolean().describe('Whether the worker applies it.'),
  priority: z.int().describe('Rules are tried from the lowest priority to the highest, then by age.'),
  stop: z.boolean().describe('Whether no later rule is tried on an e-mail that matches this one.'),
  match: match.describe('Whether all of the conditions must hold, or any one.'),
}

export const rule = z.object({
  id: z.string(),
  ...common,
  conditions: z.array(z.object({ field: z.enum(fields), operator: z.enum(operators), value: z.string() })),
  actions: z.object({
    label: z.array(z.string()).optional(),
    mark: z.literal('read').optional(),
    notify: z.literal(true).optional(),
  }),
  matched_count: z.int().describe('How many e-mails it has matched; no edit, so that the version stays.'),
  last_matched_at: timestamp.nullable(),
  version: z.int().describe('Grows with each edit; in double quotes it is the ETag.'),
  created_at: timestamp,
  updated_at: timestamp,
})

/** Members that are left out stay as they are in a rule that exists, and have their defaults in a new one. */
export const upsertedRule = z.strictObject({
  key: line(100).describe('Your own name for the rule, by which it is found again; compared exactly.'),
  name: line(100).describe('What people call it.'),
  description: paragraph(1000).nullable().optional().describe('What it is for; null for none.'),
  enabled: z.boolean().optional().describe('Whether the worker applies it. A new rule: true.'),
  priority: z
    .int()
    .min(0)
    .max(1000)
    .optional()
    .describe('0 to 1000: lower ones are tried first, equal ones by age. A new rule: 100.'),
  stop: z
    .boolean()
    .optional()
    .describe('Whether no later rule is tried on an e-mail that matches. A new rule: false.'),
  match: match.optional().describe('all: every condition must hold; any: one is enough. A new rule: all.'),
  conditions: conditions.describe('1 to 20 conditions; they replace those that it has.'),
  actions: actions.describe('What happens to an e-mail that matches; replaces what it has.'),
})

export const rulesQuery = z.strictObject({
  enabled: queryBoolean.optional().describe('Only rules that are (true) or are not (false) applied.'),
  key: line(100).optional().describe('Only the rule with this key, compared exactly.'),
  ...pageQuery,
})

export const rulePath = z.strictObject({
  id: z.string().describe('The id of the rule, rul_ and 26 characters, as rules_list gives it.'),
})

export const ruleTestBody = z.strictObject({
  email_id: z.string().describe('The e-mail to try the rule on, an id of emails_list.'),
})

/** What a rule would do to an e-mail. Nothing has been done. */
export const ruleTest = z.object({
  rule_id: z.string(),
  email_id: z.string(),
  email_status: z.string().describe('Only what is processed has a text and extractions to compare.'),
  enabled: z.boolean().describe('Whether the worker would apply the rule at all.'),
  matched: z.boolean(),
  match: match.describe('Whether all conditions must hold, or any.'),
  conditions: z.array(
    z.object({
      field: z.enum(fields),
      operator: z.enum(operators),
      value: z.string(),
      matched: z.boolean(),
    }),
  ),
  would: z
    .object({
      label: z.array(z.string()).describe('Labels that the e-mail would get.'),
      mark: z.literal('read').nullable().describe('read: it would be marked as read; null: no change.'),
      notify: z.boolean().describe('Whether rule.matched would be told: once per e-mail and rule.'),
    })
    .describe('What would change on the e-mail as it is now; nothing where the rule does not match.'),
})

export type Rule = z.infer<typeof rule>
export type RuleCondition = z.infer<typeof condition>
export type RuleActions = z.infer<typeof actions>
export type UpsertedRule = z.infer<typeof upsertedRule>
export type RulesQuery = z.infer<typeof rulesQuery>
export type RuleTest = z.infer<typeof ruleTest>

function toMistake({ field, operator, value }: { field: string; operator: string; value: string }) {
  if (foldText(value) === '') return 'must have letters, digits or signs to compare'
  if ((field === 'extraction' || field === 'inbox') && operator !== 'equals') {
    return `a condition on ${field} takes the operator equals only`
  }
  if (field === 'extraction' && !extractionKinds.some(kind => kind === value)) {
    return `must be one of ${extractionKinds.join(', ')}`
  }
  // Without it, bank.example would be found at the end of evilbank.example.
  if (field === 'from' && operator === 'ends_with' && !/^[@.]./.test(value)) {
    return 'must begin with @ or . to end an address at a whole domain'
  }
  return null
}
