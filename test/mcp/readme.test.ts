import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import Fastify, { type FastifyInstance } from 'fastify'
import { validatorCompiler } from 'fastify-type-provider-zod'
import { test } from 'tap'
import { mcp } from '../../plugins/mcp/index.ts'
import { modulePath, projectFile } from '../project.ts'
import { call, legacy, readText } from './toy-client.ts'
import { toyOptions } from './toy-notes.ts'
import { currentWay, testBothWays } from './ways.ts'

const root = projectFile('.')
const readme = readFileSync(join(root, 'plugins/mcp/README.md'), 'utf8')

/** What the README gives as code under this mark. */
function readCode(mark: string): string {
  const code = new RegExp(`<!-- tested: ${mark} -->\\s*\`\`\`ts\\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1]
  if (code === undefined) throw new Error(`the README has no code marked as tested: ${mark}`)
  return code
}

test('the smallest embedding is under fifteen lines', t => {
  const lines = readCode('minimal')
    .split('\n')
    .filter(line => line.trim() !== '')
  t.ok(lines.length < 15, `${lines.length} lines`)
  t.end()
})

test('the smallest embedding runs as it stands, and its tool can be called', async t => {
  const plugin = pathToFileURL(modulePath('plugins/mcp/index.ts')).href
  // Where the plugin lies and which port is free is all that differs from the README.
  const program = readCode('minimal')
    .replace('./plugins/mcp/index.ts', plugin)
    .replace('port: 3000', 'port: 0')
  const folder = t.testdir({ 'program.mjs': `${program}\nexport { app }\n` })
  const { app } = (await import(pathToFileURL(join(folder, 'program.mjs')).href)) as { app: FastifyInstance }
  t.teardown(() => app.close())

  const { port } = app.server.address() as AddressInfo
  const ask = async (method: string, params: object) => {
    const answer = await fetch(`http://localhost:${port}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return ((await answer.json()) as { result: { tools: { name: string }[]; structuredContent: unknown } })
      .result
  }
  const { tools } = await ask('tools/list', {})
  t.equal(tools.length, 1)
  const [tool] = tools
  const result = await ask('tools/call', { name: tool?.name, arguments: {} })
  t.match(result, { content: [{ type: 'text' }], isError: undefined })
  t.match(JSON.stringify(result.structuredContent), /\d{4}-\d{2}-\d{2}T/)
})

testBothWays('the query of the README takes what its tool lists', async t => {
  const folder = t.testdir({
    'query.mjs': `import { z } from 'zod'\n${readCode('queries')}\nexport { querystring }\n`,
  })
  const { querystring } = await import(pathToFileURL(join(folder, 'query.mjs')).href)
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const app = Fastify({ logger: { level: 'warn', stream } })
  t.teardown(() => app.close())
  app.setValidatorCompiler(validatorCompiler)
  await app.register(mcp, { ...toyOptions, permissions: undefined, dispatch: currentWay() })
  app.get(
    '/mail',
    {
      schema: { operationId: 'mail', summary: 'Mail', querystring, response: { 200: {} } },
      serializerCompiler: () => data => JSON.stringify(data),
      config: { scopes: [], mcp: true },
    },
    async ({ query }) =>
      Object.fromEntries(Object.entries(query as object).map(([name, value]) => [name, inspect(value)])),
  )
  const [tool] = (await legacy(app, 'tools/list')).json().result.tools
  t.equal(tool.inputSchema.required, undefined)
  t.same(readText(await call(app, 'mail', {})), { limit: '20' })
  const args = {
    limit: 5,
    unread: 'false',
    tags: ['a'],
    since: '2026-01-02T03:04:05Z',
    after: '9007199254740993',
  }
  t.same(readText(await call(app, 'mail', args)), {
    limit: '5',
    unread: 'false',
    tags: "[ 'a' ]",
    since: '2026-01-02T03:04:05.000Z',
    after: '9007199254740993n',
  })
  t.equal(readText(await call(app, 'mail', { tags: ['a', 'b'], unread: false })).tags, "[ 'a', 'b' ]")
  t.same(lines, [], 'and nothing is said against it at boot')
})

test('every option is in the README, and nothing that is none', t => {
  const source = readFileSync(join(root, 'plugins/mcp/options.ts'), 'utf8')
  const namesIn = (text: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, name]) => name).sort()
  const options = namesIn(source, /^ {2}(\w+): (?:z\b|milliseconds)/gm)
  t.ok(options.length >= 14, options.join(', '))
  t.same(namesIn(readme, /^\| `(\w+)` \|/gm), options)
  t.end()
})
