import { type Change, compareSchemas, toObject } from './compare-schemas.ts'
import type { Entry } from './read-surface.ts'
import type { Snapshot } from './snapshot.ts'

/** What changed between two snapshots, in the order of the surface. */
export function compareSnapshots(before: Snapshot, after: Snapshot): readonly Change[] {
  const instructions = before.instructions.join('\n') !== after.instructions.join('\n')
  return [
    ...(instructions ? [{ kind: 'compatible', text: 'instructions: other words' } as const] : []),
    ...compareEntries('tool', before.tools, after.tools, compareTools),
    ...compareEntries('resource', before.resources, after.resources, compareResources),
    ...compareEntries('template', before.resourceTemplates, after.resourceTemplates, compareResources),
    ...compareEntries('prompt', before.prompts, after.prompts, comparePrompts),
    ...compareRoles(before, after),
  ]
}

type Compare = (path: string, before: Entry, after: Entry) => readonly Change[]

function compareEntries(
  what: string,
  before: readonly Entry[],
  after: readonly Entry[],
  compare: Compare,
): readonly Change[] {
  const find = (list: readonly Entry[], wanted: Entry) => list.find(entry => keyOf(entry) === keyOf(wanted))
  const removed = before.filter(entry => !find(after, entry))
  return [
    ...removed.map(entry => ({ kind: 'breaking', text: `${what} ${keyOf(entry)} removed` }) as const),
    ...after.flatMap(entry => {
      const old = find(before, entry)
      const path = `${what} ${keyOf(entry)}`
      if (!old) return [{ kind: 'compatible', text: `${path} added` } as const]
      const changes = compare(path, old, entry)
      if (changes.length > 0 || JSON.stringify(old) === JSON.stringify(entry)) return changes
      return [{ kind: 'compatible', text: `${path}: other words` } as const]
    }),
  ]
}

/** Clients know a resource by its URI, everything else by its name. */
export function keyOf(entry: Entry): string {
  return String(entry.uri ?? entry.uriTemplate ?? entry.name)
}

function compareTools(path: string, before: Entry, after: Entry): readonly Change[] {
  const schemas = (side: 'input' | 'output', member: string) =>
    compareSchemas({
      path: `${path} ${side === 'input' ? 'argument ' : 'result '}`,
      side,
      before: toObject(before[member]),
      after: toObject(after[member]),
    })
  const [old, now] = [toObject(before.annotations), toObject(after.annotations)]
  const annotations = Object.keys({ ...old, ...now }).filter(name => old[name] !== now[name])
  const [had, has] = ['outputSchema' in before, 'outputSchema' in after]
  const output: readonly Change[] =
    had === has
      ? schemas('output', 'outputSchema')
      : [
          {
            kind: had ? 'breaking' : 'compatible',
            text: `${path}: outputSchema ${had ? 'removed' : 'added'}`,
          },
        ]
  return [
    ...schemas('input', 'inputSchema'),
    ...output,
    ...annotations.map(name => ({
      // From then on it is refused to clients that cannot ask the person.
      kind:
        name === 'destructiveHint' && now[name] === true ? ('breaking' as const) : ('compatible' as const),
      text: `${path}: ${name} ${old[name]} became ${now[name]}`,
    })),
  ]
}

function compareResources(path: string, before: Entry, after: Entry): readonly Change[] {
  if (before.mimeType === after.mimeType) return []
  return [{ kind: 'breaking', text: `${path}: ${before.mimeType} became ${after.mimeType}` }]
}

function comparePrompts(path: string, before: Entry, after: Entry): readonly Change[] {
  return compareSchemas({
    path: `${path} argument `,
    side: 'input',
    before: toSchema(before),
    after: toSchema(after),
  })
}

// A prompt's arguments, as a schema that can be compared.
function toSchema({ arguments: list }: Entry) {
  const given = Array.isArray(list) ? list.map(toObject) : []
  return {
    additionalProperties: false,
    properties: Object.fromEntries(given.map(({ name }) => [String(name), {}])),
    required: given.filter(({ required }) => required === true).map(({ name }) => String(name)),
  }
}

function compareRoles(before: Snapshot, after: Snapshot): readonly Change[] {
  return Object.entries(before.roles).flatMap(([role, seen]) => {
    const now = after.roles[role]?.hidden ?? []
    const isThere = (key: string) =>
      [...after.tools, ...after.resources, ...after.resourceTemplates, ...after.prompts].some(
        entry => keyOf(entry) === key,
      )
    const known = [...before.tools, ...before.resources, ...before.resourceTemplates, ...before.prompts].map(
      keyOf,
    )
    const lost = now.filter(key => !seen.hidden.includes(key) && known.includes(key))
    const gained = seen.hidden.filter(key => !now.includes(key) && isThere(key))
    return [
      ...lost.map(key => ({ kind: 'breaking', text: `${role}: ${key} is not listed any more` }) as const),
      ...gained.map(key => ({ kind: 'compatible', text: `${role}: ${key} is listed from now on` }) as const),
    ]
  })
}
