import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type Test, test } from 'tap'
import { openDatabase } from '../../../lib/database/open-database.ts'
import { toProgram } from '../../project.ts'
import { createTestLocation } from '../support/open-test-database.ts'
import { seedTwoOrganizations } from '../support/seed-two-organizations.ts'
import { countKept, countNotes } from './notes-routes.ts'
import { bearer, keys } from './start-app.ts'

test('a process killed at any moment leaves effect and answer, or neither', async t => {
  const location = await createTestLocation(t)
  const seeding = await openDatabase(location)
  const people = await seedTwoOrganizations(seeding)
  await seeding.close()
  const headers = { ...bearer(people.bia), 'content-type': 'application/json' }
  const post = (port: number, kind: string, key: string) =>
    fetch(`http://127.0.0.1:${port}/api/v1/notes/${kind}`, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': key },
      body: '{}',
    })
  const count = async () => {
    const database = await openDatabase(location)
    const counts = { notes: await countNotes(database), kept: await countKept(database) }
    await database.close()
    return counts
  }

  const first = await startProcess(t, location)
  const unanswered = post(first.port, 'hanging', 'k1').catch(() => null)
  await first.hasPrinted('working')
  await kill(first.child)
  t.equal(await unanswered, null)
  t.same(await count(), { notes: 0, kept: 0 }, 'killed before the answer: neither')

  const second = await startProcess(t, location)
  const answer = await (await post(second.port, 'quick', 'k2')).text()
  await kill(second.child)
  t.same(await count(), { notes: 1, kept: 1 }, 'killed after the answer: both')

  const third = await startProcess(t, location)
  const again = await post(third.port, 'quick', 'k2')
  t.equal(again.headers.get('idempotency-replayed'), 'true')
  t.equal(await again.text(), answer)
  await kill(third.child)
})

interface Started {
  readonly child: ChildProcess
  readonly port: number
  hasPrinted(line: string): Promise<void>
}

async function startProcess(t: Test, location: object): Promise<Started> {
  const argument = JSON.stringify({ ...location, publicKey: keys.publicKey })
  const child = spawn(process.execPath, [...toProgram('test/app/plumbing/crashing-server.ts'), argument], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })
  const printed: string[] = []
  lines.on('line', line => printed.push(line))
  const hasPrinted = async (start: string): Promise<void> => {
    while (!printed.some(line => line.startsWith(start))) {
      const [ended] = await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => [null])])
      if (ended === null) throw new Error('the process ended early')
    }
  }
  await hasPrinted('port')
  const port = Number(printed.find(line => line.startsWith('port'))?.slice(5))
  return { child, port, hasPrinted }
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
