import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { audiences, bearer, type TokenOptions } from '../plumbing/start-app.ts'

/** What an agent's client sees of one answer, whatever it is. */
export interface Seen {
  /** `asked`, `done`, the code of the tool's problem, the JSON-RPC error's code, or the HTTP status. */
  readonly verdict: string | number
  /** The question, when one was asked. */
  readonly message: string
  /** What goes back with the answer; '' when nothing was asked. */
  readonly state: string
  /** The text of a result. */
  readonly text: string
}

export interface Attempt {
  readonly state?: unknown
  readonly responses?: unknown
  /** Another instance than the agent's own. */
  readonly at?: FastifyInstance
}

/** Somebody who works through a client that shows forms, in 2026-07-28. */
export interface Agent {
  call(tool: string, args: Readonly<Record<string, unknown>>, attempt?: Attempt): Promise<Seen>
  /** Any other method; the result or the error. */
  request(
    method: string,
    params?: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, unknown>>>
}

export const yes = { confirmation: { action: 'accept', content: { confirm: true } } }
export const no = { confirmation: { action: 'accept', content: { confirm: false } } }

const formCapabilities = { elicitation: { form: {} } }

const reply = z.object({
  error: z.looseObject({ code: z.int(), message: z.string() }).optional(),
  result: z.looseObject({}).optional(),
})
const asked = z.object({
  resultType: z.literal('input_required'),
  requestState: z.string(),
  inputRequests: z.object({ confirmation: z.object({ params: z.object({ message: z.string() }) }) }),
})
const answered = z.object({
  isError: z.boolean().optional(),
  content: z.array(z.object({ text: z.string() })),
})
const problem = z.object({ code: z.string() })

export function createAgent(
  app: FastifyInstance,
  userId: string,
  { workspaceId, ...token }: TokenOptions & { workspaceId?: string } = {},
): Agent {
  const identity = {
    ...bearer(userId, { audience: audiences.mcp, ...token }),
    ...(workspaceId !== undefined && { 'x-workspace-id': workspaceId }),
  }

  function send(method: string, params: Readonly<Record<string, unknown>>, at: FastifyInstance) {
    const envelope = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': formCapabilities,
    }
    return at.inject({
      method: 'POST',
      url: '/mcp',
      headers: {
        ...identity,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(method === 'tools/call' && { 'mcp-name': String(params.name) }),
      },
      payload: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: envelope } },
    })
  }

  return {
    async call(name, args, { state, responses, at = app } = {}) {
      const params = {
        name,
        arguments: args,
        ...(state !== undefined && { requestState: state }),
        ...(responses !== undefined && { inputResponses: responses }),
      }
      const response = await send('tools/call', params, at)
      return response.statusCode === 200 ? toSeen(response.json()) : toNothing(response.statusCode)
    },
    async request(method, params = {}) {
      const { result, error } = reply.parse((await send(method, params, app)).json())
      return result ?? error ?? {}
    },
  }
}

/** The question about a call, which has to be asked. */
export async function ask(
  agent: Agent,
  tool: string,
  args: Readonly<Record<string, unknown>>,
): Promise<Seen> {
  const seen = await agent.call(tool, args)
  if (seen.verdict !== 'asked') throw new Error(`${tool} was not asked about: ${seen.verdict} ${seen.text}`)
  return seen
}

function toSeen(body: unknown): Seen {
  const { error, result } = reply.parse(body)
  if (error) return { ...toNothing(error.code), text: error.message }
  const question = asked.safeParse(result)
  if (question.success) {
    const { requestState, inputRequests } = question.data
    return {
      verdict: 'asked',
      message: inputRequests.confirmation.params.message,
      state: requestState,
      text: '',
    }
  }
  const { isError, content } = answered.parse(result)
  const text = content[0]?.text ?? ''
  return { ...toNothing(isError ? problem.parse(JSON.parse(text)).code : 'done'), text }
}

function toNothing(verdict: string | number): Seen {
  return { verdict, message: '', state: '', text: '' }
}
