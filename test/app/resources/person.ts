import type { FastifyInstance } from 'fastify'
import type { Response } from 'light-my-request'
import { bearer, type TokenOptions } from '../plumbing/start-app.ts'

/** What the API answered. */
export interface Answer {
  readonly status: number
  readonly headers: Response['headers']
  /** The JSON body; null where there was none. */
  readonly body: unknown
}

export type Headers = Readonly<Record<string, string>>

/** Somebody who uses the API with an access token. */
export interface Person {
  get(path: string, headers?: Headers): Promise<Answer>
  post(path: string, body?: object, headers?: Headers): Promise<Answer>
  patch(path: string, body: object, headers?: Headers): Promise<Answer>
  put(path: string, body: object, headers?: Headers): Promise<Answer>
  delete(path: string, headers?: Headers): Promise<Answer>
}

/** A person as a client of the API, in one workspace if `workspaceId` is given; paths are below /api/v1. */
export function createPerson(
  app: FastifyInstance,
  userId: string,
  { workspaceId, ...token }: TokenOptions & { workspaceId?: string } = {},
): Person {
  const identity = {
    ...bearer(userId, token),
    ...(workspaceId === undefined ? {} : { 'x-workspace-id': workspaceId }),
  }
  const send = async (
    method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    path: string,
    { body, headers }: { body?: object | undefined; headers?: Headers | undefined },
  ): Promise<Answer> => {
    const response = await app.inject({
      method,
      url: `/api/v1${path}`,
      headers: { ...identity, ...headers },
      ...(body === undefined ? {} : { payload: body }),
    })
    const text = response.body
    return {
      status: response.statusCode,
      headers: response.headers,
      body: text === '' ? null : JSON.parse(text),
    }
  }
  return {
    get: (path, headers) => send('GET', path, { headers }),
    post: (path, body, headers) => send('POST', path, { body, headers }),
    patch: (path, body, headers) => send('PATCH', path, { body, headers }),
    put: (path, body, headers) => send('PUT', path, { body, headers }),
    delete: (path, headers) => send('DELETE', path, { headers }),
  }
}
