/**
 * `npm run scale`: two replicas of the API, a worker and a proxy, on the PostgreSQL of DATABASE_URL (in a database of the
 * run's own) and the Redis of REDIS_URL, under mixed traffic: through a rolling restart, then with PostgreSQL and Redis
 * away, once cut off and once without a word. Prints what was sent, what was answered and what was lost, and ends with
 * 1 unless that is nothing. The services themselves are left alone: relays of the run's own stand in front of them.
 *
 *   npm run scale -- --outage 10 --pause 3 --clients 2
 *   npm run scale -- --haproxy        # an installed HAProxy with deploy/haproxy.cfg, instead of a proxy of the run's own
 */
import { spawnSync } from 'node:child_process'
import { userInfo } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { checkBudget } from './check-budget.ts'
import { createDatabase, type OwnDatabase } from './create-database.ts'
import { createLedger, findFaults, type Ledger } from './ledger.ts'
import { runOutage } from './outage.ts'
import { createPeople, type People } from './people.ts'
import { toPromises, toTraffic } from './report.ts'
import { startHaproxy } from './start-haproxy.ts'
import { startTopology, type Topology } from './start-topology.ts'
import { startTraffic } from './traffic/start-traffic.ts'
import { untilProcessed, verify } from './verify.ts'

const { values } = parseArgs({
  options: {
    outage: { type: 'string', default: '10' },
    pause: { type: 'string', default: '3' },
    clients: { type: 'string', default: '2' },
    haproxy: { type: 'boolean', default: false },
  },
})
const seconds = { outage: Number(values.outage), pause: Number(values.pause) }
const clients = Number(values.clients)
const databaseUrl =
  process.env.DATABASE_URL ?? `postgres://127.0.0.1:5432/postgres?user=${userInfo().username}`
const redisUrl = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'
/** Milliseconds for what was accepted last: a job that an outage cut off is tried again after a minute. */
const processingPatience = 90_000

const compiled = spawnSync(process.execPath, ['compile.mjs'], { stdio: 'inherit' })
if (compiled.status !== 0) process.exit(1)
const own = await createDatabase(databaseUrl)
const people = createPeople()
try {
  const topology = await startTopology({
    toArguments: program => [`dist/${program}.js`],
    databaseUrl: own.url,
    redisUrl,
    people,
    // As in docker-compose.yml, whose proxy needs two failed checks to notice.
    shutdownDelay: values.haproxy ? 5 : 2,
    ...(values.haproxy && { startProxy: startHaproxy }),
  })
  try {
    process.exitCode = (await drive(topology, { own, people })) ? 0 : 1
  } finally {
    await topology.stop()
  }
} finally {
  await own.drop()
}

/** Whether everything went as it has to. */
async function drive(
  topology: Topology,
  { own: { database }, people }: { readonly own: OwnDatabase; readonly people: People },
): Promise<boolean> {
  const ledger = createLedger()
  const context = { ledger, people, url: topology.url, mailPort: topology.mailPort }
  print(`two replicas, a worker and a proxy at ${topology.url}; ${clients} clients of each kind`)
  const traffic = startTraffic(context, { clients })
  await wait(seconds.pause * 1_000)
  await checkBudget(context)
  ledger.begin('rolling restart')
  const codes = await topology.rollingRestart()
  if (codes.some(code => code !== 0)) ledger.wrongs.push(`replicas ended with ${codes.join(', ')}`)
  await runOutages(topology, ledger)
  ledger.begin('end')
  await wait(seconds.pause * 1_000)
  await checkBudget(context)
  await traffic.stop()
  print('what was accepted last is waited for')
  const waiting = await untilProcessed(database, processingPatience)
  if (waiting > 0) ledger.wrongs.push(`${waiting} messages still wait to be processed`)
  return conclude(ledger, await verify(database, ledger))
}

async function runOutages(topology: Topology, ledger: Ledger): Promise<void> {
  const services = [
    { name: 'PostgreSQL', relay: topology.database, mayBeUnavailable: true },
    { name: 'Redis', relay: topology.redis, mayBeUnavailable: false },
  ]
  for (const { name, ...service } of services) {
    for (const state of ['cut', 'silent'] as const) {
      const outage = { name: `${name} ${state}`, state, seconds: seconds.outage, ...service }
      const recovered = await runOutage(topology, ledger, outage)
      print(`${outage.name} for ${seconds.outage} s: ready again after ${recovered.toFixed(0)} ms`)
      ledger.begin(`after ${outage.name}`)
      await wait(seconds.pause * 1_000)
    }
  }
}

function conclude(ledger: Ledger, promises: Awaited<ReturnType<typeof verify>>): boolean {
  print(`\n${toTraffic(ledger)}\n\n${toPromises(promises)}\n`)
  const faults = findFaults(ledger)
  for (const fault of faults.slice(0, 20)) print(fault)
  const broken = promises.filter(({ promised, kept }) => promised === 0 || kept < promised)
  const isWell = faults.length === 0 && broken.length === 0
  print(
    isWell
      ? 'lost: nothing'
      : `NOT as it should be: ${faults.length} faults, ${broken.length} broken promises`,
  )
  return isWell
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
