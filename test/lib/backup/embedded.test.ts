import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { openDatabase } from '../../../lib/database/open-database.ts'
import { createEmbeddedLocation } from '../../app/support/embedded-template.ts'
import { checkRestored, fill } from './support/check-restored.ts'

test('the embedded database is backed up by a copy of its directory while nothing has it open', {
  timeout: 120_000,
}, async t => {
  const location = await createEmbeddedLocation(t)
  const filled = await fill(location)
  const copies = mkdtempSync(join(tmpdir(), 'kobana-inbox-test-'))
  t.teardown(() => rmSync(copies, { recursive: true, force: true, maxRetries: 3 }))
  const backup = join(copies, 'backup')
  t.notOk(existsSync(join(location.dataDir, 'database.lock')), 'a stop in order leaves no lock')
  cpSync(location.dataDir, backup, { recursive: true })

  // What happens after the backup is not in it.
  const database = await openDatabase(location)
  await database.asOwner(trx => trx.deleteFrom('emails').execute())
  const torn = join(copies, 'torn')
  cpSync(location.dataDir, torn, { recursive: true })
  await t.rejects(
    openDatabase({ databaseUrl: null, dataDir: torn }),
    /in use by process/,
    'a copy of a running one, which may be torn, is refused',
  )
  await database.close()

  await checkRestored(t, { databaseUrl: null, dataDir: backup }, filled)
})
