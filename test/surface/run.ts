/**
 * `npm run tools [-- --write]`: what agents find at /mcp, per role, and its size. Exits 1 when a role's model would
 * have to read more than the budget, and when surface.snap does not say what there is; `--write` makes it say so.
 */
import { parseArgs } from 'node:util'
import { compareSnapshots } from './compare-snapshots.ts'
import { budget, sizeOf, tokenizer } from './count-tokens.ts'
import { printTable } from './print-table.ts'
import { readSurfaces, roles } from './read-surface.ts'
import { printSnapshot, readSnapshot, type Snapshot, toSnapshot, writeSnapshot } from './snapshot.ts'

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } })
const teardowns: (() => unknown)[] = []
try {
  await main()
} finally {
  for (const end of teardowns.reverse()) await end()
}

async function main(): Promise<void> {
  const surfaces = await readSurfaces({ teardown: end => teardowns.push(end) })
  console.log(printTable(surfaces))
  const above = roles.filter(role => sizeOf(surfaces[role]).model > budget)
  for (const role of above) console.log(`ABOVE THE BUDGET of ${budget} tokens (${tokenizer}): ${role}`)
  const isCurrent = await reportChanges(toSnapshot(surfaces))
  process.exitCode = above.length === 0 && (isCurrent || values.write) ? 0 : 1
}

async function reportChanges(snapshot: Snapshot): Promise<boolean> {
  const committed = await readSnapshot()
  if (committed === printSnapshot(snapshot)) {
    console.log('surface.snap is current.')
    return true
  }
  if (committed !== '') reportDifference(JSON.parse(committed), snapshot)
  if (values.write) await writeSnapshot(snapshot)
  console.log(
    values.write ? 'surface.snap is written.' : 'surface.snap is not current: npm run tools -- --write',
  )
  return false
}

function reportDifference(before: Snapshot, after: Snapshot): void {
  const changes = compareSnapshots(before, after)
  for (const { kind, text } of changes)
    console.log(`${kind === 'breaking' ? 'BREAKING' : 'compatible'}  ${text}`)
  const isBreaking = changes.some(({ kind }) => kind === 'breaking')
  console.log(isBreaking ? 'Clients that exist may break.' : 'No client that exists breaks.')
}
