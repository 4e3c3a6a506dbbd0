import type { FastifyInstance } from 'fastify'
import { audiences, bearer } from '../plumbing/start-app.ts'

/** One operation as a developer calls it and as an agent does. */
export interface Call {
  readonly tool: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly body?: Readonly<Record<string, unknown>>
  readonly args: Readonly<Record<string, unknown>>
}

export interface Asker {
  readonly userId: string
  readonly workspaceId?: string
  readonly scopes?: readonly string[]
}

export interface RestAnswer {
  readonly status: number
  readonly body: string
  readonly challenge: string | undefined
}

export interface AgentAnswer {
  /** HTTP's. */
  readonly status: number
  readonly isError: boolean
  readonly text: string
  readonly structured: unknown
  readonly challenge: string | undefined
}

/** The call over REST. */
export async function callRest(app: FastifyInstance, asker: Asker, call: Call): Promise<RestAnswer> {
  const response = await app.inject({
    method: call.method,
    url: `/api/v1${call.url}`,
    headers: headersOf(asker, audiences.api),
    ...(call.body && { payload: call.body }),
  })
  return { status: response.statusCode, body: response.payload, challenge: challengeOf(response.headers) }
}

/** The same call as a tool. */
export async function callTool(app: FastifyInstance, asker: Asker, call: Call): Promise<AgentAnswer> {
  const response = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: headersOf(asker, audiences.mcp),
    payload: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: call.tool, arguments: call.args },
    },
  })
  const { result } = response.json()
  return {
    status: response.statusCode,
    isError: result?.isError === true,
    text: result?.content?.[0]?.text ?? response.payload,
    structured: result?.structuredContent,
    challenge: challengeOf(response.headers),
  }
}

/** A body with what every call makes anew (ids, times, versions) replaced, so that two can be compared. */
export function toShape(body: string): unknown {
  return JSON.parse(body, (name, value) => {
    if (name === 'request_id' || name === 'version') return `<${name}>`
    if (typeof value !== 'string') return value
    return value
      .replaceAll(/\b[a-z]{3}_[0-9a-z]{26}\b/g, '<id>')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replaceAll(/new-\d+/g, '<new>')
  })
}

/** A body without its request id. */
export function withoutRequestId(body: string): string {
  return body.replace(/"request_id":"[^"]*"/, '"request_id":""')
}

function headersOf({ userId, workspaceId, scopes }: Asker, audience: string): Record<string, string> {
  return {
    ...bearer(userId, { audience, ...(scopes && { scopes }) }),
    ...(workspaceId !== undefined && { 'x-workspace-id': workspaceId }),
  }
}

function challengeOf(headers: { 'www-authenticate'?: unknown }): string | undefined {
  const challenge = headers['www-authenticate']
  return typeof challenge === 'string' ? challenge : undefined
}
