import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import { z } from 'zod'
import { createId } from '../../../lib/id/id.ts'
import { type Role, roles } from '../../../lib/identity/roles.ts'
import { allScopes, withImpliedScopes } from '../../../lib/identity/scopes.ts'
import { audiences, bearer, startApp } from '../plumbing/start-app.ts'
import type { TwoOrganizations } from '../support/seed-two-organizations.ts'
import { type Asker, callRest, callTool } from './call-both.ts'

// Every operation that the API declares, for every role, with the scopes that it needs and without each of them: who is
// let in is what lib/identity/roles.ts says, over REST and as a tool. Nothing is listed here; a new operation is in it.

const method = z.enum(['get', 'post', 'put', 'patch', 'delete'])
const document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({ operationId: z.string() }))),
})
const declared = z.looseObject({
  operationId: z.string(),
  security: z.tuple([z.strictObject({ bearer: z.array(z.string()) })]),
  'x-permission': z.enum(allScopes).optional(),
})

interface Operation {
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly scopes: readonly string[]
  readonly permission: (typeof allScopes)[number] | undefined
}

interface Member extends Asker {
  readonly workspaceId: string
}

/** What a caller meets: a scope that the token lacks, a role that does not allow it, or neither. */
type Admission = 'insufficient_scope' | 'forbidden' | 'admitted'

test('every scope that a person is asked to allow is needed by some operation', async t => {
  const { app } = await startApp(t)
  const needed = new Set((await readOperations(app)).flatMap(({ scopes }) => scopes))
  t.same(
    allScopes.filter(scope => !needed.has(scope)),
    [],
  )
})

test('who is let into an operation is what the table of roles says, over REST and as a tool', async t => {
  const { app, people } = await startApp(t, { config: { rateLimitMax: 1_000_000 } })
  await app.jobs.start()
  t.teardown(() => app.jobs.stop())
  const operations = await readOperations(app)
  const tools = await listTools(app, toMember(people, 'admin'))
  const seen: Record<Admission, number> = { insufficient_scope: 0, forbidden: 0, admitted: 0 }

  for (const role of Object.keys(roles) as Role[]) {
    const person = toMember(people, role)
    const shown = await listTools(app, person)
    const [overRest, asTool]: [string[], string[]] = [[], []]
    for (const operation of operations) {
      for (const scopes of [[...operation.scopes], ...operation.scopes.map(withoutScope)]) {
        const asker: Asker = { ...person, scopes }
        const expected = toExpected(operation, { role, scopes })
        seen[expected] += 1
        const rest = await admitRest(app, asker, operation)
        if (rest !== expected) overRest.push(`${operation.name} with ${scopes}: ${rest}, not ${expected}`)
        const tool = await admitTool(app, asker, operation)
        const wanted = tools.has(operation.name) ? expected : 'no tool'
        if (tool !== wanted) asTool.push(`${operation.name} with ${scopes}: ${tool}, not ${wanted}`)
      }
    }
    t.same(overRest, [], `${role} over REST`)
    t.same(asTool, [], `${role} as a tool`)
    const runnable = operations
      .filter(({ name, permission }) => tools.has(name) && isAllowed(role, permission))
      .map(({ name }) => name)
    t.same([...shown].sort(), runnable.sort(), `${role} is shown what they may run`)
  }
  t.ok(operations.length >= 60)
  for (const [admission, times] of Object.entries(seen)) t.ok(times >= 30, `${admission}: ${times} times`)
})

function toExpected(
  { scopes, permission }: Operation,
  { role, scopes: covered }: { role: Role; scopes: readonly string[] },
): Admission {
  const all = withImpliedScopes(covered)
  if (!scopes.every(scope => all.includes(scope))) return 'insufficient_scope'
  return isAllowed(role, permission) ? 'admitted' : 'forbidden'
}

function isAllowed(role: Role, permission: Operation['permission']): boolean {
  const allowed: ReadonlySet<string> = roles[role]
  return permission === undefined || allowed.has(permission)
}

/** Every scope but one; without reading there is no writing either, which would imply it. */
function withoutScope(scope: string): string[] {
  return allScopes.filter(name => !withImpliedScopes([name]).includes(scope))
}

async function readOperations(app: FastifyInstance): Promise<readonly Operation[]> {
  const { paths } = document.parse((await app.inject('/api/v1/openapi.json')).json())
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, operation]) => {
      const { operationId, security, 'x-permission': permission } = declared.parse(operation)
      return {
        name: operationId,
        method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).parse(method.parse(verb).toUpperCase()),
        // Ids that nothing has: whoever is let in changes nothing.
        url: path.replace(/^\/api\/v1/, '').replaceAll(/\{\w+\}/g, createId('usr')),
        scopes: security[0].bearer,
        permission,
      }
    }),
  )
}

async function admitRest(app: FastifyInstance, asker: Asker, operation: Operation): Promise<Admission> {
  const call = { tool: operation.name, method: operation.method, url: operation.url, args: {} }
  const answer = await callRest(app, asker, call)
  return toAdmission(answer.status, answer.body)
}

async function admitTool(
  app: FastifyInstance,
  asker: Asker,
  { name: tool }: Operation,
): Promise<Admission | 'no tool'> {
  const answer = await callTool(app, asker, { tool, method: 'GET', url: '', args: {} })
  if (answer.status !== 200) return toAdmission(answer.status, answer.text)
  if (/"code":-32602,"message":"[^"]*tool/i.test(answer.text)) return 'no tool'
  return answer.isError ? toAdmission(403, answer.text) : 'admitted'
}

const problem = z.looseObject({ code: z.string() })

function toAdmission(status: number, body: string): Admission {
  if (status !== 403) return 'admitted'
  const { code } = problem.parse(JSON.parse(body))
  return code === 'insufficient_scope' || code === 'forbidden' ? code : 'admitted'
}

function toMember(people: TwoOrganizations, role: Role): Member {
  const userId = { admin: people.bia, operator: people.bruno, viewer: people.vera }[role]
  return { userId, workspaceId: people.billing.workspaceId }
}

/** The tools that a person with every scope is shown; to an admin, all of them. */
async function listTools(app: FastifyInstance, { userId, workspaceId }: Member): Promise<Set<string>> {
  const response = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { ...bearer(userId, { audience: audiences.mcp }), 'x-workspace-id': workspaceId },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  })
  return new Set(listed.parse(response.json()).result.tools.map(({ name }) => name))
}

const listed = z.looseObject({
  result: z.looseObject({ tools: z.array(z.looseObject({ name: z.string() })) }),
})
