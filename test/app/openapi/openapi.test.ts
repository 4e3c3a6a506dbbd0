import { Validator } from '@seriousme/openapi-schema-validator'
import { test } from 'tap'
import { z } from 'zod'
import { problems } from '../../../lib/problem/problems.ts'
import { audiences, bearer, startApp } from '../plumbing/start-app.ts'

const operation = z.looseObject({
  operationId: z.string(),
  summary: z.string().min(4),
  description: z.string().min(60),
  tags: z.array(z.string()).length(1),
  security: z.tuple([z.strictObject({ bearer: z.array(z.string()) })]),
  parameters: z.array(z.looseObject({ name: z.string().optional(), $ref: z.string().optional() })).optional(),
  requestBody: z.looseObject({ content: z.record(z.string(), z.unknown()) }).optional(),
  responses: z.record(
    z.string(),
    z.looseObject({ description: z.string(), content: z.unknown().optional() }),
  ),
})
const document = z.looseObject({
  openapi: z.literal('3.1.1'),
  servers: z.array(z.object({ url: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({ schemas: z.record(z.string(), z.looseObject({})) }),
})

test('the description of the API', async t => {
  const { app, people } = await startApp(t)
  const answer = await app.inject('/api/v1/openapi.json')
  const described = document.parse(answer.json())
  const operations = Object.entries(described.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
  )
  const byId = (id: string) => {
    const found = operations.find(({ operationId }) => operationId === id)
    if (!found) throw new Error(`${id} is an operation`)
    return found
  }

  await t.test('needs no token and may be cached', async t => {
    t.equal(answer.statusCode, 200)
    t.match(answer.headers, { 'content-type': /^application\/json/, 'cache-control': 'public, max-age=300' })
  })

  await t.test('is valid OpenAPI 3.1 to an independent validator', async t => {
    const { valid, errors } = await new Validator().validate(answer.json())
    t.equal(valid, true, JSON.stringify(errors))
    const broken = { ...answer.json(), paths: { '/x': { get: { responses: { 200: {} } } } } }
    t.equal((await new Validator().validate(broken)).valid, false, 'which does find faults')
  })

  await t.test('has every tool as an operation, and the operations that are REST only', async t => {
    const headers = bearer(people.ana, { audience: audiences.mcp })
    const payload = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const tools: { name: string }[] = (
      await app.inject({ method: 'POST', url: '/mcp', headers, payload })
    ).json().result.tools
    const ids = operations.map(({ operationId }) => operationId)
    t.ok(tools.length >= 18)
    t.same(
      tools.map(({ name }) => name).filter(name => !ids.includes(name)),
      [],
    )
    t.ok(ids.includes('emails_ingest') && ids.includes('emails_get_raw'))
    t.equal(new Set(ids).size, ids.length, 'each name stands once')
    t.ok(described.paths['/api/v1/emails/{id}'], 'paths are written as OpenAPI writes them')
  })

  await t.test('says what a token needs, what is sent and what is answered', async t => {
    const list = byId('emails_list')
    t.same(list.security, [{ bearer: ['emails:read'] }])
    t.ok(list.parameters?.some(({ name }) => name === 'limit'))
    t.ok(list.parameters?.some(({ $ref }) => $ref === '#/components/parameters/Workspace'))
    t.notOk(byId('me_get').parameters?.some(({ $ref }) => $ref === '#/components/parameters/Workspace'))
    t.same(Object.keys(byId('emails_ingest').requestBody?.content ?? {}), ['message/rfc822'])
    t.match(byId('emails_get_raw').responses, { 200: { content: { 'message/rfc822': {} } } })
    t.match(byId('inboxes_create').responses, { 201: { headers: { Location: {} } } })
    t.equal(byId('emails_delete').responses[204]?.content, undefined, 'nothing is nothing')
    t.match(byId('inboxes_create').requestBody?.content, {
      'application/json': { schema: { required: ['address', 'name'], additionalProperties: false } },
    })
  })

  await t.test('describes errors as they are answered', async t => {
    for (const { operationId, responses } of operations)
      t.match(responses.default, { content: { 'application/problem+json': {} } }, operationId)
    t.match(described.components.schemas.Problem, { properties: { code: { enum: Object.keys(problems) } } })
  })
})

test('the page of the API', async t => {
  const { app } = await startApp(t)
  const page = await app.inject('/docs')
  t.equal(page.statusCode, 200)
  t.match(page.payload, /Kobana Autonomous Inbox API/)

  const loaded = [...page.payload.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? '')
  t.ok(loaded.length >= 5)
  for (const url of loaded) {
    t.match(url, /^\/docs\//, 'nothing comes from elsewhere')
    t.equal((await app.inject(url)).statusCode, 200, url)
  }
  const policy = String(page.headers['content-security-policy'])
  t.match(policy, /default-src 'none'/)
  t.notMatch(policy, /https?:/, 'and nothing could')
  t.match(
    (await app.inject('/docs/static/swagger-initializer.js')).payload,
    /"url":"\/api\/v1\/openapi\.json"/,
  )
})
