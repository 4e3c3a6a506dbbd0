import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import { modulePath, projectFile } from '../project.ts'

const root = projectFile('.')
const readme = readFileSync(join(root, 'plugins/mcp/README.md'), 'utf8')

/** The program that the README gives as the smallest embedding. */
function readProgram(): string {
  const program = /<!-- tested: minimal -->\s*```ts\n([\s\S]*?)```/.exec(readme)?.[1]
  if (program === undefined) throw new Error('the README has no program marked as tested')
  return program
}

test('the smallest embedding is under fifteen lines', t => {
  const lines = readProgram()
    .split('\n')
    .filter(line => line.trim() !== '')
  t.ok(lines.length < 15, `${lines.length} lines`)
  t.end()
})

test('the smallest embedding runs as it stands, and its tool can be called', async t => {
  const plugin = pathToFileURL(modulePath('plugins/mcp/index.ts')).href
  // Where the plugin lies and which port is free is all that differs from the README.
  const program = readProgram().replace('./plugins/mcp/index.ts', plugin).replace('port: 3000', 'port: 0')
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

test('every option is in the README, and nothing that is none', t => {
  const source = readFileSync(join(root, 'plugins/mcp/options.ts'), 'utf8')
  const namesIn = (text: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, name]) => name).sort()
  const options = namesIn(source, /^ {2}(\w+): (?:z\b|milliseconds)/gm)
  t.ok(options.length >= 14, options.join(', '))
  t.same(namesIn(readme, /^\| `(\w+)` \|/gm), options)
  t.end()
})
