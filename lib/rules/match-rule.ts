import { foldText } from './fold-text.ts'
import type { RuleCondition } from './schema.ts'

/** What conditions are compared with, folded once for all rules. */
export interface RuleSubject {
  readonly fromAddress: string
  /** Name and address. */
  readonly from: string
  readonly subject: string
  readonly text: string
  readonly extractions: ReadonlySet<string>
  /** Id and address of the inbox. */
  readonly inbox: readonly string[]
}

export interface RuleFacts {
  readonly from: { readonly address: string; readonly name: string | null } | null
  readonly subject: string | null
  readonly text: string | null
  readonly extractionKinds: Iterable<string>
}

export interface RuleInbox {
  readonly id: string
  readonly address: string
}

/** Texts are folded here, outside of any transaction: a message has megabytes. */
export function toRuleSubject(facts: RuleFacts): Omit<RuleSubject, 'inbox'> {
  const { from, subject, text, extractionKinds } = facts
  return {
    fromAddress: foldText(from?.address),
    from: foldText(from && `${from.name ?? ''} <${from.address}>`),
    subject: foldText(subject),
    text: foldText(text),
    extractions: new Set(extractionKinds),
  }
}

export function toInboxNames({ id, address }: RuleInbox): string[] {
  return [foldText(id), foldText(address)]
}

/** Of a rule, what decides whether it is true of a message. */
export interface Matching {
  readonly match: 'all' | 'any'
  readonly conditions: readonly RuleCondition[]
}

/** Whether a rule is true of a message, and each of its conditions by itself. */
export function matchRule(
  { match, conditions }: Matching,
  subject: RuleSubject,
): { matched: boolean; conditions: boolean[] } {
  const each = conditions.map(condition => holds(condition, subject))
  return { matched: match === 'all' ? each.every(Boolean) : each.some(Boolean), conditions: each }
}

function holds({ field, operator, value }: RuleCondition, subject: RuleSubject): boolean {
  const wanted = foldText(value)
  switch (field) {
    case 'extraction':
      return subject.extractions.has(value)
    case 'inbox':
      return subject.inbox.includes(wanted)
    case 'from':
      // Only contains looks into the name, which anybody may write; as in emails_list, an address is an address.
      return compare(operator === 'contains' ? subject.from : subject.fromAddress, operator, wanted)
    default:
      return compare(subject[field], operator, wanted)
  }
}

function compare(text: string, operator: RuleCondition['operator'], wanted: string): boolean {
  if (operator === 'equals') return text === wanted
  return operator === 'contains' ? text.includes(wanted) : text.endsWith(wanted)
}
