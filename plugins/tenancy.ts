import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Tenant } from '../lib/database/database.ts'
import { findMembership, permissionsAnywhere, permissionsIn } from '../lib/identity/permissions.ts'
import type { Membership, Principal } from '../lib/identity/principal.ts'
import type { Principals } from '../lib/identity/principals.ts'
import { isForAdmins } from '../lib/identity/roles.ts'
import { type Problem, problem } from '../lib/problem/problem.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the route acts on: one workspace (the default), or the caller's organization. */
    tenancy?: 'workspace' | 'organization'
  }

  interface FastifyRequest {
    /** The workspace that the request acts on. Reading it on an organization's route is a mistake and throws. */
    tenant: Tenant
  }

  interface FastifyInstance {
    /** The workspace that a request acts on; null on an organization's route, and until it is known. */
    tenantOf(request: FastifyRequest): Tenant | null

    /**
     * What a person may do in the workspace that a request names, or in the token's default one, or else in
     * any of theirs. Rejects with workspace_not_found where the workspace is not theirs.
     */
    permissionsOf(principal: Principal, request: FastifyRequest): Promise<ReadonlySet<string>>

    /**
     * The id of the workspace that a request names, or else of the token's default one, or of the person's only
     * one; '' where that leaves none, or several. Whether it is theirs is for the route to say.
     */
    workspaceOf(principal: Principal, request: FastifyRequest): string
  }
}

/** On which workspace a request acts, and whether the person's role there allows what the route declares. */
export const tenancy = fp(
  async (app: FastifyInstance, { principals }: { principals: Principals }) => {
    const known = new WeakMap<FastifyRequest, Tenant>()

    app.decorateRequest('tenant', {
      getter(this: FastifyRequest) {
        const tenant = known.get(this)
        if (!tenant) throw new Error(`${this.method} ${this.routeOptions.url} acts on no workspace`)
        return tenant
      },
      setter(this: FastifyRequest, tenant: Tenant) {
        known.set(this, tenant)
      },
    })

    app.decorate('tenantOf', request => known.get(request) ?? null)

    app.decorate('permissionsOf', async (principal, request) => {
      const named = toNamedWorkspace(principal, request)
      if (named === null) return permissionsAnywhere(principal)
      const fresh = await withMembership(principal, named)
      if (!findMembership(fresh, named)) throw toWorkspaceNotFound()
      return permissionsIn(fresh, named)
    })

    app.decorate('workspaceOf', (principal, request) => {
      const [only, ...others] = principal.memberships
      const byDefault = others.length === 0 ? only?.workspaceId : undefined
      return toNamedWorkspace(principal, request) ?? byDefault ?? ''
    })

    app.addHook('onRequest', (request, _reply, done) => {
      if (!request.routeOptions.config.scopes) return done()
      const renewal = renew(request)
      if (renewal) {
        renewal.then(() => enter(request)).then(() => done(), done)
        return
      }
      enter(request)
      done()
    })

    /** Asks anew who it is that calls, where what is remembered of them does not do; null where it does. */
    function renew(request: FastifyRequest): Promise<void> | null {
      const { permission, tenancy = 'workspace' } = request.routeOptions.config
      // What an admin decides outlasts the request. Who was one a moment ago is not to undo, on a process that remembers
      // it, that they are none.
      if (permission && isForAdmins(permission)) return becomeAsOfNow(request, permission)
      const named = tenancy === 'workspace' ? toNamedWorkspace(request.principal, request) : null
      if (named === null || findMembership(request.principal, named)) return null
      return withMembership(request.principal, named).then(principal => {
        request.principal = principal
      })
    }

    async function becomeAsOfNow(request: FastifyRequest, permission: string): Promise<void> {
      const fresh = await principals.refresh(request.principal)
      if (!fresh) throw toForbidden(permission)
      request.principal = fresh
    }

    /** A workspace that was not theirs a moment ago may be by now: they may just have created it. */
    async function withMembership(principal: Principal, workspaceId: string): Promise<Principal> {
      if (findMembership(principal, workspaceId)) return principal
      return (await principals.refresh(principal)) ?? principal
    }
  },
  { name: 'tenancy', dependencies: ['auth'] },
)

/** Lets the request act where it says, if the person's role there allows what the route declares. */
function enter(request: FastifyRequest): void {
  const { permission, tenancy = 'workspace' } = request.routeOptions.config
  if (tenancy === 'workspace') {
    const { workspaceId } = toMembership(request.principal, toNamedWorkspace(request.principal, request))
    request.tenant = { organizationId: request.principal.organizationId, workspaceId }
  }
  if (permission && !permissionsFor(request, tenancy).has(permission)) throw toForbidden(permission)
}

/** The workspace that the request names, or that was chosen when the token was consented to. */
function toNamedWorkspace(principal: Principal, request: FastifyRequest): string | null {
  const header = [request.headers['x-workspace-id']].flat()[0]?.trim()
  return header || principal.defaultWorkspaceId
}

function toMembership(principal: Principal, named: string | null): Membership {
  const [only, ...others] = principal.memberships
  if (named === null && only && others.length === 0) return only
  if (named === null) throw toWorkspaceRequired(principal)
  const membership = findMembership(principal, named)
  if (!membership) throw toWorkspaceNotFound()
  return membership
}

/** What acts on the organization needs the permission in one of the person's workspaces. */
function permissionsFor(request: FastifyRequest, tenancy: 'workspace' | 'organization'): ReadonlySet<string> {
  if (tenancy === 'organization') return permissionsAnywhere(request.principal)
  return permissionsIn(request.principal, request.tenant.workspaceId)
}

function toWorkspaceRequired(principal: Principal): Problem {
  const workspaces = principal.memberships.map(({ workspaceId, workspaceName, role }) => ({
    id: workspaceId,
    name: workspaceName,
    role,
  }))
  const detail = 'Name one of your workspaces, which are listed in workspaces, in the header X-Workspace-Id.'
  return problem('workspace_required', detail, { extra: { workspaces } })
}

/** The same whether the workspace is another's or does not exist: which of the two is nobody's business. */
function toWorkspaceNotFound(): Problem {
  return problem('workspace_not_found', 'You belong to no workspace with this id.')
}

function toForbidden(permission: string): Problem {
  return problem('forbidden', `Your role in this workspace does not include ${permission}.`)
}
