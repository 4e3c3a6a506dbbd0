import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../plugins/mcp/index.ts'

/** Who there is in the toys: the bearer token of each, what it covers and what the person may do. */
const people: Readonly<Record<string, Caller & { readonly permissions: readonly string[] }>> = {
  ana: {
    id: 'usr_ana',
    clientId: 'desk',
    scopes: ['notes:read', 'notes:write'],
    permissions: ['notes:view', 'notes:edit'],
  },
  // May read only, whatever the token covers.
  vera: {
    id: 'usr_vera',
    clientId: 'desk',
    scopes: ['notes:read', 'notes:write'],
    permissions: ['notes:view'],
  },
  // May do everything, with a token that covers reading only.
  rob: { id: 'usr_rob', clientId: null, scopes: ['notes:read'], permissions: ['notes:view', 'notes:edit'] },
  // A token that covers nothing.
  zoe: { id: 'usr_zoe', clientId: null, scopes: [], permissions: [] },
  // Has no budget left.
  sam: { id: 'usr_sam', clientId: null, scopes: ['notes:read'], permissions: ['notes:view'] },
}

export const names = Object.keys(people)

/** The `authenticate` option: `Bearer <name>`; the address `192.0.2.66` has failed too often. */
export function authenticate(request: FastifyRequest): Caller {
  if (request.ip === '192.0.2.66') throw refuse(429, { 'Retry-After': '60' })
  const name = /^Bearer (\w+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const person = Object.hasOwn(people, name) ? people[name] : undefined
  if (!person) throw refuse(401)
  const { permissions: _permissions, ...caller } = person
  return caller
}

/** The `limit` option: everybody has 100 calls a minute, sam none. */
export function limit(_request: FastifyRequest, reply: FastifyReply, caller: Caller): void {
  const isSpent = caller.id === 'usr_sam'
  reply.headers({
    'x-ratelimit-limit': '100',
    'x-ratelimit-remaining': isSpent ? '0' : '99',
    'x-ratelimit-reset': '30',
  })
  if (isSpent) throw refuse(429, { 'retry-after': '30' })
}

/** The `permissions` option. */
export function permissionsOf(caller: Caller): ReadonlySet<string> {
  return new Set(Object.values(people).find(({ id }) => id === caller.id)?.permissions)
}

export function refuse(statusCode: number, headers?: Readonly<Record<string, string>>): Error {
  return Object.assign(new Error(`refused with ${statusCode}`), { statusCode, headers })
}
