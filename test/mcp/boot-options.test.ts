import Fastify, { type FastifyInstance } from 'fastify'
import { test } from 'tap'
import { bootErrors, McpBootError, mcp } from '../../plugins/mcp/index.ts'
import { legacy, modern } from './toy-client.ts'
import { toyOptions } from './toy-notes.ts'

/** The error with which the boot stops; null when it does not. */
async function boot(options: object | undefined): Promise<McpBootError | null> {
  const app = Fastify()
  try {
    // As a program without types would: any object at all.
    await app.register(mcp as (app: FastifyInstance, options: object) => Promise<void>, options ?? {})
    await app.ready()
    return null
  } catch (error) {
    if (error instanceof McpBootError) return error
    throw error
  } finally {
    await app.close()
  }
}

test('the options of the toys are good, and so is the least there can be', async t => {
  t.equal(await boot(toyOptions), null)
  const { serverInfo, authenticate } = toyOptions
  t.equal(await boot({ serverInfo, authenticate }), null)
})

test('a wrong option stops the boot with its name', async t => {
  const wrong: readonly (readonly [string, object])[] = [
    ['serverInfo', { serverInfo: undefined }],
    ['serverInfo', { serverInfo: 'toys' }],
    ['serverInfo.name', { serverInfo: { name: '', version: '1' } }],
    ['serverInfo.version', { serverInfo: { name: 'toys' } }],
    ['url', { serverInfo: { name: 'toys', version: '1', url: 'https://a.test' } }],
    ['instructions', { instructions: '' }],
    ['aroundCall', { aroundCall: 'log' }],
    ['path', { path: '' }],
    ['path', { path: '/' }],
    ['path', { path: 'mcp' }],
    ['path', { path: '/mcp/' }],
    ['path', { path: '/mcp/:id' }],
    ['path', { path: '/*' }],
    ['path', { path: '/a b' }],
    ['protocolVersions', { protocolVersions: [] }],
    ['protocolVersions', { protocolVersions: '2026-07-28' }],
    ['protocolVersions', { protocolVersions: ['2025-06-18', '2026-07-28'] }],
    ['protocolVersions', { protocolVersions: ['2025-06-18', '2025-06-18'] }],
    ['protocolVersions.0', { protocolVersions: ['latest'] }],
    ['protocolVersions.1', { protocolVersions: ['2025-06-18', '2024-11-05'] }],
    ['authenticate', { authenticate: undefined }],
    ['authenticate', { authenticate: 'token' }],
    ['limit', { limit: 600 }],
    ['permissions', { permissions: ['notes:read'] }],
    ['resourceMetadataUrl', { resourceMetadataUrl: '/.well-known' }],
    ['scopePrefix', { scopePrefix: 'a"' }],
    ['scopePrefix', { scopePrefix: 'a b' }],
    ['allowedOrigins', { allowedOrigins: '*' }],
    ['allowedOrigins.0', { allowedOrigins: [''] }],
    ['allowedOrigins.0', { allowedOrigins: ['https://app.example/'] }],
    ['allowedOrigins.1', { allowedOrigins: ['null', 'App.example'] }],
    ['confirmation.lifetim', { confirmation: { keys: ['k'.repeat(32)], lifetim: 5 } }],
    ['forwardHeaders.0', { forwardHeaders: ['X-Workspace-Id'] }],
    ['forwardHeaders.0', { forwardHeaders: ['authorization'] }],
    ['forwardHeaders.1', { forwardHeaders: ['x-a', 'cookie'] }],
    ['forwardHeaders.0', { forwardHeaders: ['content-length'] }],
    ['forwardHeaders.0', { forwardHeaders: ['transfer-encoding'] }],
    ['deadline', { deadline: 0 }],
    ['deadline', { deadline: 1.5 }],
    ['deadline', { deadline: '30s' }],
    ['deadline', { deadline: Number.POSITIVE_INFINITY }],
    ['pageSize', { pageSize: 0 }],
    ['bodyLimit', { bodyLimit: 1 }],
    ['strictHeaders', { strictHeaders: 'yes' }],
    ['protocolVersion', { protocolVersion: '2026-07-28' }],
    ['origins', { origins: [] }],
  ]
  for (const [name, change] of wrong) {
    const error = await boot({ ...toyOptions, ...change })
    t.equal(error?.code, 'MCP_ERR_OPTION', JSON.stringify(change))
    t.equal(error?.name, 'McpBootError')
    t.ok(error?.message.startsWith(bootErrors.MCP_ERR_OPTION))
    t.match(error?.message, new RegExp(`\\b${name.replace('.', '\\.')}: `), JSON.stringify(change))
  }
})

test('every wrong option is named at once', async t => {
  const error = await boot({ path: 'mcp', deadline: 0, typo: 1 })
  for (const name of ['path', 'deadline', 'typo', 'serverInfo', 'authenticate'])
    t.match(error?.message, `${name}: `)
})

test('no options at all are wrong options', async t => {
  const error = await boot(undefined)
  t.equal(error?.code, 'MCP_ERR_OPTION')
  t.match(error?.message, 'serverInfo: ')
})

test('options are read once: what is changed afterwards changes nothing', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  const protocolVersions = ['2026-07-28', '2025-06-18']
  const serverInfo = { name: 'toys', version: '1.0.0' }
  await app.register(mcp, { ...toyOptions, serverInfo, protocolVersions })
  await app.ready()
  protocolVersions.push('2025-03-26')
  serverInfo.name = 'changed'
  const { result } = (await modern(app, 'server/discover')).json()
  t.same(result.supportedVersions, ['2026-07-28', '2025-06-18'])
  t.match(result._meta, { 'io.modelcontextprotocol/serverInfo': { name: 'toys' } })
  t.equal((await legacy(app, 'initialize', { protocolVersion: 'x' })).json().result.serverInfo.name, 'toys')
})

test('a path that is taken stops the boot with the path', async t => {
  const twice = Fastify()
  t.teardown(() => twice.close())
  await twice.register(mcp, toyOptions)
  await t.rejects(async () => twice.register(mcp, toyOptions), {
    code: 'MCP_ERR_DUPLICATE_PATH',
    message: /Path: \/mcp\.$/,
  })

  const taken = Fastify()
  t.teardown(() => taken.close())
  taken.post('/admin/agents', async () => ({}))
  await t.rejects(
    async () =>
      taken.register(async child => child.register(mcp, { ...toyOptions, path: '/agents' }), {
        prefix: '/admin',
      }),
    { code: 'MCP_ERR_DUPLICATE_PATH', message: /Path: \/admin\/agents\.$/ },
  )
})
