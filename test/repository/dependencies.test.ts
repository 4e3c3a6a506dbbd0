import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative, sep } from 'node:path'
import { test } from 'tap'
import { projectFile } from '../project.ts'

const root = projectFile('.')
const files = [
  ...['app.ts', 'server.ts', 'worker.ts', 'cli.ts'],
  ...['plugins', 'routes', 'lib'].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.ts'))
      .map(file => join(folder, file)),
  ),
].map(file => file.split(sep).join('/'))

interface Import {
  readonly from: string
  readonly to: string
}

const imports: readonly Import[] = files.flatMap(from =>
  [...readFileSync(join(root, from), 'utf8').matchAll(/(?:from|import\(?)\s*'(\.[^']+)'/g)].map(match => ({
    from,
    to: relative(root, normalize(join(root, dirname(from), match[1] ?? '')))
      .split(sep)
      .join('/'),
  })),
)

const npmImports: readonly Import[] = files.flatMap(from =>
  [...readFileSync(join(root, from), 'utf8').matchAll(/from '([^.'][^']*)'/g)].map(match => ({
    from,
    to: match[1] ?? '',
  })),
)

/** The layer of a file; a lower number may import a higher one, never the other way round. */
function layerOf(file: string): number {
  if (['server.ts', 'worker.ts', 'cli.ts'].includes(file)) return 0
  if (file === 'app.ts') return 1
  if (file.startsWith('plugins/') || file.startsWith('routes/')) return 2
  return 3
}

const show = (list: readonly Import[]): readonly string[] => list.map(({ from, to }) => `${from} -> ${to}`)

test('there are imports to check', async t => {
  t.ok(imports.length > 50)
  t.ok(npmImports.length > 20)
})

test('imports go down: server, worker, cli -> app -> plugins, routes -> lib', async t => {
  t.same(show(imports.filter(({ from, to }) => layerOf(from) > layerOf(to))), [])
})

test('plugins and routes do not import each other', async t => {
  const crossing = imports.filter(
    ({ from, to }) =>
      (from.startsWith('routes/') && to.startsWith('plugins/')) ||
      (from.startsWith('plugins/') && to.startsWith('routes/')),
  )
  t.same(show(crossing), [])
})

test('the worker loads neither the app nor its routes', async t => {
  const reached = new Set(['worker.ts'])
  for (const file of reached)
    for (const { to } of imports.filter(({ from }) => from === file)) reached.add(to)
  t.same(
    [...reached].filter(file => layerOf(file) === 2 || file === 'app.ts'),
    [],
  )
})

test('plugins/mcp imports nothing of the app, and few packages', async t => {
  const isInside = (file: string): boolean => file.startsWith('plugins/mcp/')
  t.same(show(imports.filter(({ from, to }) => isInside(from) && !isInside(to))), [])
  const packages = new Set(npmImports.filter(({ from }) => isInside(from)).map(({ to }) => to))
  const external = [...packages].filter(name => !name.startsWith('node:')).sort()
  t.same(external, ['fast-jwt', 'fastify', 'fastify-plugin', 'zod'])
})

test('resources do not import their siblings', async t => {
  const resourceOf = (file: string): string | undefined => /^routes\/api\/v1\/([^/]+)\//.exec(file)?.[1]
  const crossing = imports.filter(({ from, to }) => {
    const [own, other] = [resourceOf(from), resourceOf(to)]
    return own !== undefined && other !== undefined && own !== other
  })
  t.same(show(crossing), [])
})

test('no file is named for what could be anything', async t => {
  const vague = /(^|[/])(utils?|helpers?|common|core|types|manager)\.ts$/
  t.same(
    files.filter(file => vague.test(file)),
    [],
  )
})
