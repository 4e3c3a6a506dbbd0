import { setTimeout as wait } from 'node:timers/promises'
import { type Test, test } from 'tap'
import { checkBudget } from '../../bench/scale/check-budget.ts'
import { createLedger, findFaults, type Ledger } from '../../bench/scale/ledger.ts'
import { runOutage } from '../../bench/scale/outage.ts'
import { createPeople } from '../../bench/scale/people.ts'
import { startTopology, type Topology } from '../../bench/scale/start-topology.ts'
import type { TrafficContext } from '../../bench/scale/traffic/client.ts'
import { requestKinds, startTraffic } from '../../bench/scale/traffic/start-traffic.ts'
import { untilProcessed, verify } from '../../bench/scale/verify.ts'
import type { Database } from '../../lib/database/database.ts'
import { openDatabase } from '../../lib/database/open-database.ts'
import { seedTenants } from '../../lib/demo/seed-tenants.ts'
import { createPostgresLocation } from '../app/support/postgres-template.ts'
import { toProgram } from '../project.ts'

const { DATABASE_URL, REDIS_URL } = process.env
const skip =
  DATABASE_URL && REDIS_URL ? false : 'needs DATABASE_URL and REDIS_URL: several processes share them'

test('two replicas, a worker and a proxy', { skip, timeout: 240_000 }, async t => {
  const { topology, database, context, ledger } = await start(t)

  await t.test('a rolling restart under load fails no request', async t => {
    ledger.begin('rolling restart')
    const traffic = startTraffic(context, { clients: 1 })
    const codes = await topology.rollingRestart()
    await traffic.stop()
    t.same(codes, [0, 0], 'the replicas end by themselves')
    expectNoFaults(t, ledger)
    const { samples } = ledger.phases.at(-1) ?? { samples: [] }
    for (const kind of [
      'REST read',
      'REST write',
      'MCP write 2025-06-18',
      'MCP write 2026-07-28',
      'answer yes',
      'mail',
    ])
      t.ok(samples.filter(sample => sample.kind === kind).length > 2, `with ${kind} under way`)
    for (const replica of ['0', '1']) t.ok(samples.filter(sample => sample.replica === replica).length > 10)
    t.equal(await untilProcessed(database, 30_000), 0, 'every message that was taken in is processed')
  })

  await t.test('both replicas count against one budget', async t => {
    await checkBudget(context)
    expectNoFaults(t, ledger)
  })

  for (const [name, service, state] of [
    ['PostgreSQL is cut off', 'database', 'cut'],
    ['PostgreSQL says nothing', 'database', 'silent'],
    ['Redis is cut off', 'redis', 'cut'],
    ['Redis says nothing', 'redis', 'silent'],
  ] as const) {
    await t.test(
      `while ${name} requests are ${service === 'redis' ? 'served' : 'clearly refused'}, and then served`,
      async t => {
        const traffic = startTraffic(context, { clients: 1, kinds: requestKinds })
        const mayBeUnavailable = service === 'database'
        await runOutage(topology, ledger, {
          name,
          relay: topology[service],
          state,
          seconds: 2,
          mayBeUnavailable,
        })
        const { samples } = ledger.phases.at(-1) ?? { samples: [] }
        ledger.begin(`after ${name}`)
        await wait(500)
        await traffic.stop()
        expectNoFaults(t, ledger)
        t.equal(
          samples.some(({ verdict }) => verdict === 'unavailable'),
          mayBeUnavailable,
        )
        t.ok(ledger.phases.at(-1)?.samples.some(({ verdict }) => verdict === 'served'))
      },
    )
  }

  await t.test('everything that was acknowledged is there, once', async t => {
    for (const { what, promised, kept, lost, twice } of await verify(database, ledger)) {
      t.ok(promised > 0, what)
      t.same({ kept, lost, twice }, { kept: promised, lost: 0, twice: 0 }, what)
    }
  })
})

interface Started {
  readonly topology: Topology
  readonly database: Database
  readonly ledger: Ledger
  readonly context: TrafficContext
}

async function start(t: Test): Promise<Started> {
  const location = await createPostgresLocation(t, DATABASE_URL ?? '')
  const database = await openDatabase(location, { poolSize: 2 })
  t.teardown(() => database.close())
  await seedTenants(database)
  const people = createPeople()
  const topology = await startTopology({
    toArguments: program => toProgram(`${program}.ts`),
    databaseUrl: location.databaseUrl ?? '',
    redisUrl: REDIS_URL ?? '',
    people,
    shutdownDelay: 1,
  })
  t.teardown(() => topology.stop())
  const ledger = createLedger()
  return {
    topology,
    database,
    ledger,
    context: { ledger, people, url: topology.url, mailPort: topology.mailPort },
  }
}

function expectNoFaults(t: Test, ledger: Ledger): void {
  t.same(findFaults(ledger).slice(0, 5), [])
}
