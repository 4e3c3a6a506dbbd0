import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { parseConfig } from '../../lib/config/config.ts'
import { environmentSchema } from '../../lib/config/environment.ts'
import { secretVariables } from '../../lib/config/secret-files.ts'
import { projectFile } from '../project.ts'

// There may be no Docker where this runs: what the files name is held against what there is.

const read = (path: string): string => readFileSync(projectFile(path), 'utf8')

const compose = read('docker-compose.yml')
const dockerfile = read('Dockerfile')
const proxy = read('deploy/haproxy.cfg')

test('every variable of the containers is one that the product or their image reads', t => {
  const known = new Set([
    ...Object.keys(environmentSchema.shape),
    ...secretVariables.map(name => `${name}_FILE`),
    'POSTGRES_PASSWORD_FILE',
    // Read by OpenTelemetry itself.
    'OTEL_EXPORTER_OTLP_HEADERS',
    'OTEL_RESOURCE_ATTRIBUTES',
    'OTEL_TRACES_SAMPLER',
    'OTEL_TRACES_SAMPLER_ARG',
  ])
  const named = findAll(compose, /^ +([A-Z][A-Z0-9_]+):/gm)
  t.ok(named.length > 15)
  t.same(
    named.filter(name => !known.has(name)),
    [],
  )
  const variables = findAll(`${compose}${read('deploy/publish-smtp.yml')}`, /\$\{([A-Z_]+)/g)
  t.same(
    variables.filter(name => !known.has(name)),
    [],
  )
  t.end()
})

test('the configuration that the containers get is accepted, with the secrets that the script makes', t => {
  const folder = mkdtempSync(join(tmpdir(), 'kobana-inbox-secrets-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const make = () => execFileSync('sh', [projectFile('deploy/create-secrets.sh'), folder])
  make()
  const files = readdirSync(folder).sort()
  const declared = findAll(compose, /\{ file: \.\/secrets\/([\w.-]+) \}/g)
  t.same([...declared].sort(), files, 'compose declares what the script makes')
  for (const name of findAll(compose, /\/run\/secrets\/([\w.-]+)/g)) t.ok(declared.includes(name), name)

  const contents = () => files.map(name => readFileSync(join(folder, name), 'utf8'))
  const before = contents()
  make()
  t.same(contents(), before, 'a second run leaves them as they are')
  t.equal(statSync(folder).mode & 0o077, 0, 'the folder is its owner’s alone')
  t.ok(files.every(name => (statSync(join(folder, name)).mode & 0o777) === 0o444))

  const literals = [...compose.matchAll(/^ +([A-Z][A-Z0-9_]+): "?([^$\s"]+)"?$/gm)].map(([, name, value]) => [
    name,
    value?.replace('/run/secrets', folder),
  ])
  const defaults = [...compose.matchAll(/^ +([A-Z][A-Z0-9_]+): \$\{\w+:-([^}]*)\}/gm)].map(
    ([, name, value]) => [name, value],
  )
  const config = parseConfig(Object.fromEntries([...defaults, ...literals]))
  t.match(config, { mode: 'production', host: '0.0.0.0', port: 3000, trustProxy: 1, smtp: { port: 2525 } })
  t.match(config.databaseUrl, /^postgres:\/\/inbox:[0-9a-f]{64}@postgres:5432\/inbox$/)
  t.match(config.redisUrl, /^redis:\/\/:[0-9a-f]{64}@redis:6379$/)
  t.match(read('deploy/create-roles.sh'), 'create role inbox login')
  t.end()
})

test('every program and file that the containers name is there', t => {
  for (const program of findAll(`${compose}${dockerfile}`, /dist\/(\w+)\.js/g))
    t.ok(existsSync(projectFile(`${program}.ts`)), program)
  for (const path of findAll(compose, /"?\.\/(deploy\/[\w.-]+)/g)) t.ok(existsSync(projectFile(path)), path)
  const copied = findAll(dockerfile, /^COPY (?!--from)(.+) \S+$/gm).flatMap(paths => paths.split(' '))
  for (const path of copied) t.ok(existsSync(projectFile(path)), path)
  const admitted = findAll(read('.dockerignore'), /^!(.+)$/gm)
  t.same([...new Set(copied)].sort(), [...admitted].sort(), 'nothing else gets near the image')
  const compiled = JSON.parse(read('tsconfig.build.json')).include as string[]
  for (const path of compiled) t.ok(copied.includes(path), `${path} is compiled in the image`)
  t.match(dockerfile, /^USER node$/m)
  t.end()
})

test('the proxy finds the replicas where they listen and asks them what they answer', t => {
  const servers = findAll(proxy, /^ {2}server \S+ (\S+)$/gm)
  t.same(servers, ['api-1:3000', 'api-2:3000'])
  for (const [name] of servers.map(server => server.split(':'))) t.match(compose, `\n  ${name}: *api\n`)
  t.match(proxy, 'option httpchk GET /ready')
  t.match(read('plugins/health.ts'), "app.get('/ready'")
  const bind = findAll(proxy, /^ {2}bind :(\d+)$/gm)
  t.same(findAll(compose, /^ {4}ports: \["\$\{PORT:-8080\}:(\d+)"\]$/gm), bind)
  t.equal(compose.match(/^ +ports:/gm)?.length, 1, 'the one published port')
  t.end()
})

// The plugin of the docker command, or the program of its own that distributions have; neither needs an engine for this.
const [program, ...before] = lacks('docker', 'compose', 'version')
  ? ['docker-compose']
  : ['docker', 'compose']

test('docker compose finds nothing wrong', { skip: lacks(program, ...before, 'version') }, t => {
  const files = ['docker-compose.yml', 'deploy/publish-smtp.yml'].flatMap(name => ['-f', projectFile(name)])
  const { status, stdout, stderr } = spawnSync(program, [...before, ...files, 'config', '--services'], {
    encoding: 'utf8',
  })
  t.equal(status, 0, stderr)
  t.equal(stderr, '')
  const services = stdout.trim().split('\n').sort()
  t.same(services, ['api-1', 'api-2', 'migrate', 'postgres', 'proxy', 'redis', 'worker'])
  t.end()
})

test('HAProxy finds nothing wrong', { skip: lacks('haproxy', '-v') }, t => {
  const { status, stderr } = spawnSync('haproxy', ['-c', '-q', '-f', projectFile('deploy/haproxy.cfg')], {
    encoding: 'utf8',
  })
  t.equal(status, 0, stderr)
  t.end()
})

function findAll(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(match => match[1] ?? '')
}

/** False where the program is there, else why the test is skipped. */
function lacks(program: string, ...args: string[]): string | false {
  return spawnSync(program, args).status === 0 ? false : `${program} is not here`
}
