import { test } from 'tap'
import { budget, sizeOf } from './count-tokens.ts'
import { readSurfaces, roles } from './read-surface.ts'
import { printSnapshot, readSnapshot, toSnapshot } from './snapshot.ts'

test('what agents find is what surface.snap says, and small enough', async t => {
  const surfaces = await readSurfaces(t)
  const isCurrent = (await readSnapshot()) === printSnapshot(toSnapshot(surfaces))
  t.ok(isCurrent, 'otherwise: npm run tools shows what changed, npm run tools -- --write keeps it')
  for (const role of roles) t.ok(sizeOf(surfaces[role]).model <= budget, `${role} is within the budget`)
})
