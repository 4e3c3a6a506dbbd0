import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { attempts, type Client, pause, type TrafficContext } from './client.ts'
import { type ToolCall, toMcpRequest } from './mcp-request.ts'
import { type Answer, type Sending, send } from './send.ts'

/** Creates an inbox over REST and, in every second turn, asks again as if the answer had been lost. */
export const writeOverRest: Client = async (context, turn) => {
  const address = toAddress()
  const sending: Sending = {
    kind: 'REST write',
    method: 'POST',
    url: `${context.url}/api/v1/inboxes`,
    headers: {
      authorization: context.people.bearer('api'),
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify({ address, name: 'Scale' }),
    status: 201,
  }
  const first = await sendUntilServed(context, sending)
  if (!first) return
  context.ledger.created.add(address)
  if (turn % 2 === 1) return
  const again = await sendUntilServed(context, sending)
  if (again && again.text !== first.text)
    context.ledger.wrongs.push(`a repeated request was answered otherwise: ${again.text.slice(0, 200)}`)
}

/** The same through a tool, in both eras by turns; every fourth turn only reads. */
export const callTools: Client = async (context, turn) => {
  const era = turn % 2 === 0 ? '2026-07-28' : '2025-06-18'
  if (turn % 4 === 0) {
    const call = { kind: `MCP read ${era}`, era, name: 'emails_list', args: { limit: 5 } } as const
    await send(context.ledger, toMcpRequest(context, call))
    return
  }
  const inbox = await createInbox(context, era)
  if (inbox) context.ledger.created.add(inbox.address)
}

const created = z.object({
  result: z.object({ content: z.tuple([z.object({ text: z.string() })]) }),
})
const inboxAnswer = z.object({ data: z.object({ id: z.string(), address: z.string() }) })

/** A new inbox, by its tool; null where it could not be created. */
export async function createInbox(
  context: TrafficContext,
  era: ToolCall['era'],
): Promise<z.output<typeof inboxAnswer>['data'] | null> {
  const args = { address: toAddress(), name: 'Scale', idempotency_key: randomUUID() }
  const sending = toMcpRequest(context, { kind: `MCP write ${era}`, era, name: 'inboxes_create', args })
  const answer = await sendUntilServed(context, sending)
  if (!answer) return null
  const [{ text }] = created.parse(JSON.parse(answer.text)).result.content
  return inboxAnswer.parse(JSON.parse(text)).data
}

/** What a client does that has to know: the same request again, under the same key, until it is answered. */
export async function sendUntilServed(context: TrafficContext, sending: Sending): Promise<Answer | null> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const answer = await send(context.ledger, sending)
    if (answer.verdict === 'served') return answer
    await wait(pause)
  }
  context.ledger.wrongs.push(`${sending.kind} was given up after ${attempts} attempts`)
  return null
}

function toAddress(): string {
  return `${randomUUID()}@scale.test`
}
