import { z } from 'zod'
import type { Client } from './client.ts'
import { type ToolCall, toMcpRequest } from './mcp-request.ts'
import { createInbox, sendUntilServed } from './write-clients.ts'

const asked = z.object({
  result: z.object({ resultType: z.literal('input_required'), requestState: z.string() }),
})

/**
 * Removes an inbox by the tool that asks first: the question by one replica, the answer to the other. In every third
 * turn the person declines, and the inbox has to stay.
 */
export const confirm: Client = async (context, turn) => {
  const { ledger } = context
  const inbox = await createInbox(context, '2026-07-28')
  if (!inbox) return
  const askedOf = turn % 2 === 0 ? 0 : 1
  const call: ToolCall = {
    kind: 'question',
    era: '2026-07-28',
    name: 'inboxes_delete',
    args: { id: inbox.id },
    replica: askedOf,
  }
  const question = await sendUntilServed(context, toMcpRequest(context, call))
  if (!question) return
  const { requestState } = asked.parse(JSON.parse(question.text)).result
  const isWanted = turn % 3 !== 2
  const inputResponses = { confirmation: { action: 'accept', content: { confirm: isWanted } } }
  const retry = toMcpRequest(context, {
    ...call,
    kind: isWanted ? 'answer yes' : 'answer no',
    replica: askedOf === 0 ? 1 : 0,
    more: { requestState, inputResponses },
  })
  const answer = await sendUntilServed(context, { ...retry, refuses: !isWanted })
  if (!answer) return
  const places = isWanted ? ledger.removed : ledger.kept
  places.add(inbox.address)
}
