import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { lockDirectory } from '../../../lib/database/directory-lock.ts'
import { readStartTime } from '../../../lib/database/process-start.ts'
import { runFixture } from './fixtures/run-fixture.ts'

const gone = { pid: 999_999_999, startTime: 'long ago', host: hostname() }

test('a directory held by another process is refused, naming its pid and the directory', async t => {
  const directory = join(t.testdir({}), 'data')
  const holder = runFixture('hold-lock', directory)
  t.teardown(() => holder.kill())
  await holder.lines.next()
  const message = refusal(join(directory, '0'))
  t.match(message, `process ${holder.child.pid}`)
  t.match(message, join(directory, '0'))

  await holder.kill()
  const lock = lockDirectory(join(directory, '0'))
  t.pass('it is free once that process was killed')
  lock.release()
})

test('a directory held by this process is refused until it is released', async t => {
  const directory = t.testdir({})
  const lock = lockDirectory(directory)
  t.match(refusal(directory), `process ${process.pid}`)
  lock.release()
  t.notOk(existsSync(join(directory, 'database.lock')))
  lockDirectory(directory).release()
})

test('a lock of a process of another machine is refused with what to do', async t => {
  const directory = t.testdir({ 'database.lock': JSON.stringify({ ...gone, host: 'elsewhere.test' }) })
  t.match(refusal(directory), /process 999999999 on elsewhere\.test.*remove .*database\.lock/)
})

test('a lock whose pid belongs to a later process is taken over', async t => {
  const owner = { pid: process.ppid, startTime: `${readStartTime(process.ppid)}0`, host: hostname() }
  const directory = t.testdir({ 'database.lock': JSON.stringify(owner) })
  const lock = lockDirectory(directory)
  t.match(readFileSync(join(directory, 'database.lock'), 'utf8'), `"pid":${process.pid}`)
  lock.release()
})

test('the lock of a running process with that start time is refused', async t => {
  const owner = { pid: process.ppid, startTime: readStartTime(process.ppid), host: hostname() }
  const directory = t.testdir({ 'database.lock': JSON.stringify(owner) })
  t.match(refusal(directory), `process ${process.ppid}`)
})

test('a file that never got its content is taken over when it is old, and waited for when it is new', async t => {
  for (const content of ['', '{"pid":"1"}']) {
    const directory = t.testdir({ 'database.lock': content })
    t.match(refusal(directory), 'could not be locked')
    utimesSync(join(directory, 'database.lock'), new Date(0), new Date(0))
    lockDirectory(directory).release()
  }
})

test('a takeover that was interrupted is refused with the name of its file', async t => {
  const directory = t.testdir({ 'database.lock': JSON.stringify(gone), 'database.lock.takeover': '1' })
  utimesSync(join(directory, 'database.lock.takeover'), new Date(0), new Date(0))
  t.match(refusal(directory), /database\.lock\.takeover was left behind/)
})

test('a lock that was replaced is not removed by its former owner', async t => {
  const directory = t.testdir({})
  const lock = lockDirectory(directory)
  writeFileSync(join(directory, 'database.lock'), JSON.stringify({ ...gone, host: 'elsewhere.test' }))
  lock.release()
  t.ok(existsSync(join(directory, 'database.lock')))
})

test('of many processes at the same moment one gets a directory, abandoned or new', async t => {
  const directory = t.testdir({})
  const rounds = 60
  for (let round = 0; round < rounds; round += 2) {
    mkdirSync(join(directory, String(round)))
    writeFileSync(join(directory, String(round), 'database.lock'), JSON.stringify(gone))
  }
  const start = Date.now() + 4_000
  const takers = Array.from({ length: 4 }, () =>
    runFixture('hold-lock', directory, `${rounds}`, `${start}`, '10'),
  )
  t.teardown(() => Promise.all(takers.map(taker => taker.kill())))
  const won: number[] = []
  for (const taker of takers) {
    const line = await taker.lines.next()
    won.push(...JSON.parse(line.value).won)
  }
  t.strictSame(
    won.sort((a, b) => a - b),
    Array.from({ length: rounds }, (_, round) => round),
  )
})

function refusal(directory: string): string {
  try {
    lockDirectory(directory)
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
  throw new Error(`${directory} was locked`)
}
