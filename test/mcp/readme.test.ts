import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import Fastify, { type FastifyInstance } from 'fastify'
import { validatorCompiler } from 'fastify-type-provider-zod'
import { type Test, test } from 'tap'
import { mcp } from '../../plugins/mcp/index.ts'
import { modulePath, projectFile } from '../project.ts'
import { call, legacy, readText } from './toy-client.ts'
import { toyOptions } from './toy-notes.ts'
import { currentWay, testBothWays } from './ways.ts'

const root = projectFile('.')
const readme = readFileSync(join(root, 'plugins/mcp/README.md'), 'utf8')

/** What the README gives as code under this mark. */
function readCode(mark: string): string {
  const code = new RegExp(`<!-- tested: ${mark} -->\\s*\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1]
  if (code === undefined) throw new Error(`the README has no code marked as tested: ${mark}`)
  return code
}

/** A project of somebody else's, with a copy of the folder; `compile` is its TypeScript, `run` its Node.js. */
function createProject(t: Test, files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'kobana-inbox-embedder-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(join(root, 'plugins/mcp'), join(folder, 'plugins/mcp'), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const start = (...args: string[]) => {
    // Without the loaders of the tests, which every process that they start is given.
    const command = ['-u', 'NODE_OPTIONS', process.execPath, ...args]
    const { stdout, stderr } = spawnSync('env', command, { cwd: folder, encoding: 'utf8' })
    return stdout + stderr
  }
  return {
    run: (program: string) => start(program),
    compile: (...args: string[]) => start(join(root, 'node_modules/typescript-native/bin/tsc'), ...args),
  }
}

/** The smallest embedding, which lists its tools instead of listening. */
const lister = readCode('minimal').replace(
  'await app.listen({ port: 3000 })',
  `const payload = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
console.log((await app.inject({ method: 'POST', url: '/mcp', payload })).body)`,
)

test('with the settings of the README a project compiles a copy of the folder, and runs it', t => {
  const compilerOptions = { ...JSON.parse(readCode('settings')), types: ['node'], outDir: 'dist' }
  const include = ['server.ts', 'plugins']
  const project = createProject(t, {
    'server.ts': lister,
    'tsconfig.json': JSON.stringify({ compilerOptions, include }),
    'older.json': JSON.stringify({ compilerOptions: { ...compilerOptions, target: 'es2023' }, include }),
  })
  t.equal(project.compile(), '')
  t.match(project.run('dist/server.js'), '"time_get"')
  const older = project.compile('-p', 'older.json', '--noEmit').trim().split('\n')
  t.ok(older.length > 1 && older.every(line => line.includes('TS2550')), 'only the library is too old for it')
  t.end()
})

test('with the command of the README a JavaScript project compiles the folder once', t => {
  const program = lister.replace('./plugins/mcp/index.ts', './mcp/index.js')
  const project = createProject(t, { 'server.js': program })
  const [npx, tsc, ...args] = readCode('command').trim().split(' ')
  t.same([npx, tsc], ['npx', 'tsc'])
  t.equal(project.compile(...args), '')
  t.match(project.run('server.js'), '"time_get"')
  t.end()
})

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
