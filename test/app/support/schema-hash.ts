import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { projectFile } from '../../project.ts'

const migrations = projectFile('lib/database/migrations/')
const lockFile = projectFile('package-lock.json')

/** Twelve characters that change with any migration and with the embedded engine's version. */
export function schemaHash(): string {
  const hash = createHash('sha256')
  for (const file of readdirSync(migrations).sort()) hash.update(readFileSync(`${migrations}${file}`))
  const engine = /"node_modules\/@electric-sql\/pglite": \{\s*"version": "([^"]+)"/
  hash.update(engine.exec(readFileSync(lockFile, 'utf8'))?.[1] ?? '')
  return hash.digest('hex').slice(0, 12)
}
