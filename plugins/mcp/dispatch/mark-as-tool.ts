import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { DispatchMode } from '../declarations.ts'
import { dispatchOf, findDispatch, toolKey } from './identity.ts'
import { notePrinted } from './note-printed.ts'

/**
 * Marks a route at `onRoute`, so that a dispatched request can prove that it reached this one and no other, and adds
 * the hooks at which a dispatch stops that is not to run it, and the one that notes what is printed. Several endpoints
 * may expose the same route, and a route may be made of another one's options: what is there already
 * is moved to the end, behind what was added since.
 */
export function markAsTool(route: RouteOptions, isDestructive: boolean): symbol {
  const name = `${route.method} ${route.url}`
  const marked = route.config?.[toolKey]
  const key = marked?.description === name ? marked : Symbol(name)
  route.config = { ...route.config, [toolKey]: key }
  route.preValidation = withHook(route.preValidation, stopAdmissions)
  if (isDestructive) route.preHandler = withHook(route.preHandler, stopChecks)
  route.preSerialization = withHook(route.preSerialization, noteAnswer)
  return key
}

function withHook<Hook>(hooks: Hook | Hook[] | undefined, hook: Hook): Hook[] {
  const all = hooks === undefined ? [] : Array.isArray(hooks) ? hooks : [hooks]
  return [...all.filter(other => other !== hook), hook]
}

/** The last preValidation hook of a tool's route. */
function stopAdmissions(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  stopAt('admit', { request, reply, done })
}

/** The last preHandler of a destructive route: a check ends here, with everything before the handler passed. */
function stopChecks(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  stopAt('check', { request, reply, done })
}

function stopAt(
  mode: DispatchMode,
  { request, reply, done }: { request: FastifyRequest; reply: FastifyReply; done: () => void },
): void {
  const dispatch = findDispatch(request)
  if (dispatch?.mode === mode) {
    dispatch.hasPassed = true
    reply.code(204).send()
  } else done()
}

/** The last preSerialization hook of a tool's route, which Fastify runs only for what is to be serialized. */
function noteAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  const dispatch = dispatchOf(request.raw)
  // Where a hook before the plugin's answered, no hook here has seen the request, and it is not this one that decides.
  if (dispatch?.place === 'reached' && dispatch.isNoted) notePrinted(reply, dispatch)
  done(null, payload)
}
