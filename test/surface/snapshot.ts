import { readFile, writeFile } from 'node:fs/promises'
import { projectFile } from '../project.ts'
import { keyOf } from './compare-snapshots.ts'
import { type Entry, type Role, roles, type Surface } from './read-surface.ts'

/** The surface as it is kept in the repository: all of it as an admin sees it, and what others do not see. */
export interface Snapshot {
  readonly instructions: readonly string[]
  readonly roles: Readonly<Record<string, { readonly hidden: readonly string[] }>>
  readonly tools: readonly Entry[]
  readonly resources: readonly Entry[]
  readonly resourceTemplates: readonly Entry[]
  readonly prompts: readonly Entry[]
}

/** Its name keeps the formatter away: it is written by a program. */
const file = projectFile('test/surface/surface.snap')

export function toSnapshot(surfaces: Readonly<Record<Role, Surface>>): Snapshot {
  const { instructions, ...lists } = surfaces.admin
  const everything = keysOf(surfaces.admin)
  const hidden = roles.map(role => {
    const seen = new Set(keysOf(surfaces[role]))
    return [role, { hidden: everything.filter(key => !seen.has(key)) }] as const
  })
  return { instructions: instructions.split('\n'), roles: Object.fromEntries(hidden), ...lists }
}

export function keysOf({ tools, resources, resourceTemplates, prompts }: Omit<Surface, 'instructions'>) {
  return [...tools, ...resources, ...resourceTemplates, ...prompts].map(keyOf)
}

export function printSnapshot(snapshot: Snapshot): string {
  return `${JSON.stringify(snapshot, null, 2)}\n`
}

/** The committed one, as text; '' where there is none. */
export async function readSnapshot(): Promise<string> {
  return readFile(file, 'utf8').catch(() => '')
}

export async function writeSnapshot(snapshot: Snapshot): Promise<void> {
  await writeFile(file, printSnapshot(snapshot))
}
