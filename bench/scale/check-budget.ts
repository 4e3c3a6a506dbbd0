import { randomUUID } from 'node:crypto'
import type { TrafficContext } from './traffic/client.ts'
import { send } from './traffic/send.ts'

const requestsEach = 10

/**
 * Asks both replicas by turns for somebody whom nobody has counted yet. Where they count together, each of them comes to
 * more than it was asked itself; now and then one that is too busy to hear Redis in time may count for itself.
 */
export async function checkBudget({ ledger, people, url }: TrafficContext): Promise<void> {
  const authorization = people.bearer('api', `budget-${randomUUID()}`)
  const counted = new Map<string | null, number>()
  for (let turn = 0; turn < 2 * requestsEach; turn++) {
    const { headers } = await send(ledger, {
      kind: 'budget',
      method: 'GET',
      url: `${url}/api/v1/me`,
      headers: { authorization, 'x-replica': String(turn % 2) },
      status: 200,
    })
    const count = Number(headers.get('x-ratelimit-limit')) - Number(headers.get('x-ratelimit-remaining'))
    const replica = headers.get('x-replica')
    counted.set(replica, Math.max(count, counted.get(replica) ?? 0))
  }
  const counts = [...counted.values()]
  if (counts.length === 2 && counts.every(count => count > requestsEach)) return
  const told = [...counted].map(([replica, count]) => `${count} by replica ${replica}`).join(', ')
  ledger.wrongs.push(`${requestsEach} requests to each replica were counted as ${told}`)
}
