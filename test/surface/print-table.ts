import { toObject } from './compare-schemas.ts'
import { keyOf } from './compare-snapshots.ts'
import { budget, countTokens, sizeOf, tokenizer, toModelJson } from './count-tokens.ts'
import { type Entry, type Role, roles, type Surface } from './read-surface.ts'
import { keysOf } from './snapshot.ts'

/** The surface as a table for people: an entry a line, with its size and who has it. */
export function printTable(surfaces: Readonly<Record<Role, Surface>>): string {
  const { tools, resources, resourceTemplates, prompts } = surfaces.admin
  const seen = new Map(roles.map(role => [role, new Set(keysOf(surfaces[role]))]))
  const line = (entry: Entry, what: string, tokens: number) => [
    keyOf(entry),
    what,
    String(tokens),
    roles.map(role => (seen.get(role)?.has(keyOf(entry)) ? role : '-'.padEnd(role.length))).join('  '),
  ]
  const others = (list: readonly Entry[], what: string) =>
    list.map(entry => line(entry, what, countTokens(JSON.stringify(entry))))
  const rows = [
    ...tools.map(tool => line(tool, toEffect(tool), countTokens(toModelJson(tool)))),
    ...others(resources, 'resource'),
    ...others(resourceTemplates, 'template'),
    ...others(prompts, 'prompt'),
  ]
  return `${align([['', '', 'tokens', ''], ...rows])}\n\n${printTotals(surfaces)}\n`
}

function printTotals(surfaces: Readonly<Record<Role, Surface>>): string {
  const rows = roles.map(role => {
    const surface = surfaces[role]
    const { tools, resources, prompts, instructions, model } = sizeOf(surface)
    const documents = surface.resources.length + surface.resourceTemplates.length
    return [
      role,
      `${surface.tools.length} tools: ${tools}`,
      `${documents} resources: ${resources}`,
      `${surface.prompts.length} prompts: ${prompts}`,
      `instructions: ${instructions}`,
      `a model reads ${model} of ${budget}`,
    ]
  })
  return `Tokens are those of ${tokenizer}.\n${align(rows)}`
}

function toEffect({ annotations }: Entry): string {
  const { readOnlyHint, destructiveHint, idempotentHint } = toObject(annotations)
  if (readOnlyHint === true) return 'reads'
  if (destructiveHint === true) return 'asks first'
  return idempotentHint === true ? 'sets' : 'writes'
}

function align(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  const pad = (cell: string, column: number) =>
    /^\d+$|^tokens$/.test(cell) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)
  return rows.map(row => row.map(pad).join('  ').trimEnd()).join('\n')
}
