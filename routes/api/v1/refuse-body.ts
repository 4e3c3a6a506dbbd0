import type { FastifyRequest } from 'fastify'
import { problem } from '../../../lib/problem/problem.ts'

/**
 * A hook before validation: an operation without a body names the members of one that is sent, as it would those
 * of a query, instead of quietly ignoring what its caller believed to say. An empty object says nothing.
 */
export async function refuseBody({ body, routeOptions }: FastifyRequest): Promise<void> {
  const { schema } = routeOptions
  if (schema?.body || schema?.consumes || body === undefined || body === null) return
  const members = typeof body === 'object' ? Object.keys(body).slice(0, 100) : ['']
  if (members.length === 0) return
  throw problem('validation_failed', 'This operation takes no body.', {
    errors: members.map(path => ({
      path,
      code: 'unknown_member',
      message: 'is not a member that is known here',
    })),
  })
}
