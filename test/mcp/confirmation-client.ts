import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { type More, modern } from './toy-client.ts'

/** What a client that shows forms says of itself. */
export const formCapabilities = { elicitation: { form: {} } }

export const yes = { confirmation: { action: 'accept', content: { confirm: true } } }

export interface Call {
  readonly name?: string
  readonly args?: unknown
  readonly state?: unknown
  readonly responses?: unknown
  readonly more?: More
}

/** Calls a destructive tool as a client with forms; `books_delete` of b1 unless told otherwise. */
export function attempt(app: FastifyInstance, options: Call = {}): Promise<LightMyRequestResponse> {
  const { name = 'books_delete', args = { book_id: 'b1' }, state, responses, more } = options
  const params = {
    name,
    ...(args !== undefined && { arguments: args }),
    ...(state !== undefined && { requestState: state }),
    ...(responses !== undefined && { inputResponses: responses }),
  }
  return modern(app, 'tools/call', params, { capabilities: formCapabilities, ...more })
}

/** Lets the question be asked, and returns it with its state. */
export async function askFirst(
  app: FastifyInstance,
  options: Call = {},
): Promise<{ readonly state: string; readonly message: string }> {
  const answer = await attempt(app, options)
  const { result } = answer.json()
  if (result?.resultType !== 'input_required') throw new Error(`no question: ${answer.body}`)
  return { state: result.requestState, message: result.inputRequests.confirmation.params.message }
}

/** The code of the answer: of the tool's problem, of the JSON-RPC error, `asked`, `done`, or the HTTP status. */
export function codeOf(answer: LightMyRequestResponse): string | number {
  const { result, error } = answer.json()
  if (answer.statusCode !== 200) return answer.statusCode
  if (error) return error.code
  if (result.resultType === 'input_required') return 'asked'
  return result.isError ? JSON.parse(result.content[0].text).code : 'done'
}
