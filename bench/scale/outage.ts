import { setTimeout as wait } from 'node:timers/promises'
import type { Ledger } from './ledger.ts'
import type { Relay, RelayState } from './start-relay.ts'
import type { Topology } from './start-topology.ts'

export interface Outage {
  readonly name: string
  readonly relay: Relay
  readonly state: Exclude<RelayState, 'open'>
  readonly seconds: number
  /** Whether requests may be refused meanwhile, clearly and at once. */
  readonly mayBeUnavailable: boolean
}

/** Milliseconds in which everything has to be as it was, with nobody's help. */
const patience = 20_000

/** Takes something away and gives it back. Resolves to the milliseconds until the replicas were ready again. */
export async function runOutage(topology: Topology, ledger: Ledger, outage: Outage): Promise<number> {
  ledger.begin(outage.name, outage)
  outage.relay.set(outage.state)
  await wait(outage.seconds * 1_000)
  outage.relay.set('open')
  const backAt = performance.now()
  await topology.recovered(patience)
  const recovered = performance.now() - backAt
  // What was sent while they were coming back has been answered by then.
  if (outage.mayBeUnavailable) await wait(2_000)
  return recovered
}
