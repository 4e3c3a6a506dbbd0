import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { audiences, bearer, type StartedApp, startApp } from '../app/plumbing/start-app.ts'
import type { Teardown } from '../app/support/open-test-database.ts'

const entry = z.looseObject({ name: z.string() })
const pages = {
  tools: ['tools/list', z.looseObject({ tools: z.array(entry) })],
  resources: ['resources/list', z.looseObject({ resources: z.array(entry) })],
  resourceTemplates: ['resources/templates/list', z.looseObject({ resourceTemplates: z.array(entry) })],
  prompts: ['prompts/list', z.looseObject({ prompts: z.array(entry) })],
} as const

export type Entry = z.infer<typeof entry>

/** What an agent finds at `/mcp`, as clients of 2026-07-28 get it. */
export interface Surface {
  readonly instructions: string
  readonly tools: readonly Entry[]
  readonly resources: readonly Entry[]
  readonly resourceTemplates: readonly Entry[]
  readonly prompts: readonly Entry[]
}

export const roles = ['admin', 'operator', 'viewer'] as const
export type Role = (typeof roles)[number]

/** The surface for each role, with a token of every scope, of the application as it is. */
export async function readSurfaces(t: Teardown): Promise<Readonly<Record<Role, Surface>>> {
  const started = await startApp(t)
  const { bia, bruno, vera } = started.people
  return {
    admin: await readSurface(started, bia),
    operator: await readSurface(started, bruno),
    viewer: await readSurface(started, vera),
  }
}

async function readSurface({ app, people }: StartedApp, userId: string): Promise<Surface> {
  const headers = {
    ...bearer(userId, { audience: audiences.mcp }),
    'x-workspace-id': people.billing.workspaceId,
  }
  const ask = (method: string) => request(app, method, headers)
  const discovered = z.looseObject({ instructions: z.string() }).parse(await ask('server/discover'))
  return {
    instructions: discovered.instructions,
    tools: pages.tools[1].parse(await ask(pages.tools[0])).tools,
    resources: pages.resources[1].parse(await ask(pages.resources[0])).resources,
    resourceTemplates: pages.resourceTemplates[1].parse(await ask(pages.resourceTemplates[0]))
      .resourceTemplates,
    prompts: pages.prompts[1].parse(await ask(pages.prompts[0])).prompts,
  }
}

async function request(
  app: FastifyInstance,
  method: string,
  identity: Record<string, string>,
): Promise<unknown> {
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const response = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { ...identity, 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
    payload: { jsonrpc: '2.0', id: 1, method, params: { _meta: envelope } },
  })
  const { result } = z.looseObject({ result: z.looseObject({}) }).parse(response.json())
  if ('nextCursor' in result) throw new Error(`${method} has a second page, which is not read here`)
  return result
}
