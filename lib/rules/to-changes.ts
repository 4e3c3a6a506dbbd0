import type { RuleActions } from './schema.ts'

/** What people, and rules, put on an e-mail. */
export interface Marks {
  readonly labels: readonly string[]
  readonly read: boolean
}

/** As many as a person may give an e-mail. */
const mostLabels = 20

/** What actions would change on an e-mail: labels that it lacks and has room for, and whether it gets read. */
export function toChanges(
  actions: RuleActions,
  { labels, read }: Marks,
): { label: string[]; mark: 'read' | null } {
  const missing = [...new Set(actions.label ?? [])].filter(label => !labels.includes(label))
  return {
    label: missing.slice(0, Math.max(0, mostLabels - labels.length)),
    mark: actions.mark === 'read' && !read ? 'read' : null,
  }
}
