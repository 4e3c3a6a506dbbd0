import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'

export interface RouteCall {
  readonly name: string
  readonly limit: number
  readonly authorization: string
  /** Over the network instead of in process. */
  readonly isLoopback: boolean
}

/** Calls a route as a tool of an SDK does: what comes back is text. */
export async function callRoute(
  app: FastifyInstance,
  { name, limit, authorization, isLoopback }: RouteCall,
): Promise<string> {
  const url = `/api/${name}?limit=${limit}`
  const headers = { authorization }
  if (!isLoopback) return (await app.inject({ method: 'GET', url, headers })).payload
  const { port } = app.server.address() as AddressInfo
  return (await fetch(`http://127.0.0.1:${port}${url}`, { headers })).text()
}
