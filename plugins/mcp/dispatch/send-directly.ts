import type { IncomingMessage, ServerResponse } from 'node:http'
import { DirectRequest } from './direct-request.ts'
import { DirectResponse } from './direct-response.ts'
import type { Sender } from './sender.ts'

/** Sends by `fastify.routing`, the function that Node's server calls, over objects that hold only what is needed. */
export const sendDirectly: Sender = ({ fastify, dispatch, outgoing }, onAnswer) => {
  const request = new DirectRequest(dispatch, outgoing)
  const response = new DirectResponse(request, onAnswer)
  dispatch.raw = request
  fastify.routing(...asNodes(request, response))
}

// Fastify asks for Node's classes and uses what these two have; tested over every hook and kind of payload.
function asNodes(request: unknown, response: unknown): [IncomingMessage, ServerResponse] {
  return [request as IncomingMessage, response as ServerResponse]
}
