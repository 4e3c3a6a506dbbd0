import type { Caller, Permissions } from './declarations.ts'

/**
 * What `authenticate` returned, which decides on everything that follows: in one string of scopes any part of it would be
 * found, and for nobody at all the tools that need no scope would run. Throws an Error that names what is wrong.
 */
export function checkCaller(caller: Caller): Caller {
  const problem = findCallerProblem(caller)
  if (problem === null) return caller
  throw new TypeError(`The option authenticate must return a caller: ${problem}.`)
}

/** What `permissions` returned: null says that there is no such model, and nothing but a set has its members. */
export function checkPermissions(permissions: Permissions): Permissions {
  if (permissions === null || isSet(permissions)) return permissions
  throw new TypeError(
    'The option permissions must return a Set of texts, or null where there is no such model.',
  )
}

// Written in JavaScript, or behind a cast, an option may return anything.
function findCallerProblem(caller: unknown): string | null {
  if (typeof caller !== 'object' || caller === null) return 'an object with id, clientId and scopes'
  const { id, clientId, scopes } = caller as Readonly<Record<string, unknown>>
  if (typeof id !== 'string') return 'id must be a string'
  if (clientId !== null && typeof clientId !== 'string') return 'clientId must be a string, or null for none'
  if (!Array.isArray(scopes)) return 'scopes must be a list of strings'
  for (const scope of scopes) if (typeof scope !== 'string') return 'scopes must be a list of strings'
  return null
}

function isSet(value: object | undefined): boolean {
  return (
    typeof value === 'object' && 'has' in value && typeof value.has === 'function' && Symbol.iterator in value
  )
}
