import Ajv from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { test } from 'tap'
import { z } from 'zod'
import { audiences, bearer, startApp } from '../plumbing/start-app.ts'
import { insertInbox } from '../support/insert-email.ts'
import { createPerson } from './person.ts'
import { storeEmail } from './store-email.ts'
import { storeOperation } from './store-operation.ts'

const annotations = z.looseObject({
  readOnlyHint: z.boolean(),
  destructiveHint: z.boolean(),
  idempotentHint: z.boolean(),
  openWorldHint: z.literal(false),
})
const argument = z.looseObject({ description: z.string().optional() })
const input = z.looseObject({
  type: z.literal('object'),
  properties: z.record(z.string(), argument),
  required: z.array(z.string()).optional(),
  additionalProperties: z.literal(false),
})
const tool = z.looseObject({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  inputSchema: input,
  outputSchema: z.looseObject({ type: z.literal('object') }).optional(),
  annotations,
})
const answer = z.looseObject({ result: z.looseObject({ tools: z.array(tool) }) })

/** What each tool may do: reads, writes, writes so that repeating it changes nothing more, or destroys. */
const expected = {
  emails_delete: 'destroys',
  emails_get: 'reads',
  emails_list: 'reads',
  emails_reprocess: 'destroys',
  emails_update: 'sets',
  inboxes_create: 'writes',
  inboxes_delete: 'destroys',
  inboxes_get: 'reads',
  inboxes_list: 'reads',
  inboxes_update: 'sets',
  inboxes_upsert: 'sets',
  me_get: 'reads',
  operations_get: 'reads',
  operations_list: 'reads',
  workspaces_create: 'writes',
  workspaces_get: 'reads',
  workspaces_list: 'reads',
  workspaces_update: 'sets',
}

test('the tools that the routes declare', async t => {
  const { app, database, people } = await startApp(t)
  const response = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: bearer(people.ana, { audience: audiences.mcp }),
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  })
  const { tools } = answer.parse(response.json()).result
  const { default: Validator } = Ajv
  const ajv = new Validator({ strict: true, allowUnionTypes: true })
  addFormats.default(ajv)

  await t.test('are these, and say what they do to data', async t => {
    const named = tools.map(({ name, annotations }) => [name, toEffect(annotations)])
    t.same(Object.fromEntries(named), expected)
  })

  await t.test('describe themselves and every argument', async t => {
    for (const { name, title, description, inputSchema } of tools) {
      t.ok(title.length > 3 && description.length > 100, name)
      t.match(description, /\.$/, name)
      for (const [argument, { description }] of Object.entries(inputSchema.properties)) {
        t.ok(description && description.length > 10, `${name}: ${argument}`)
      }
    }
  })

  await t.test('have schemas that clients can compile', async t => {
    for (const { name, inputSchema, outputSchema } of tools) {
      t.doesNotThrow(() => ajv.compile(inputSchema), name)
      if (outputSchema) t.doesNotThrow(() => ajv.compile(outputSchema), name)
    }
    const list = tools.find(({ name }) => name === 'emails_list')?.inputSchema
    if (!list) throw new Error('emails_list is a tool')
    const accepts = ajv.compile(list)
    t.ok(accepts({ limit: 100, has_attachments: false, received_after: '2026-01-01T00:00:00Z' }))
    for (const wrong of [
      { limit: 101 },
      { has_attachments: 'yes' },
      { received_after: 'today' },
      { page: 1 },
    ]) {
      t.notOk(accepts(wrong), JSON.stringify(wrong))
    }
  })

  await t.test('describe what the routes answer', async t => {
    const ana = createPerson(app, people.ana, { workspaceId: people.billing.workspaceId })
    const inboxId = await insertInbox(database, people.billing)
    const emailId = await storeEmail(database, people.billing, { inboxId, text: 'x', labels: ['a'] })
    const createdBy = people.ana
    const operationId = await storeOperation(database, people.billing, { emailId, createdBy })
    const answers = {
      emails_get: await ana.get(`/emails/${emailId}`),
      emails_list: await ana.get('/emails'),
      emails_update: await ana.patch(`/emails/${emailId}`, { read: true }),
      inboxes_get: await ana.get(`/inboxes/${inboxId}`),
      inboxes_list: await ana.get('/inboxes'),
      inboxes_upsert: await ana.put('/inboxes', { address: 'tools@acme.test', name: 'Tools' }),
      me_get: await ana.get('/me'),
      operations_get: await ana.get(`/operations/${operationId}`),
      operations_list: await ana.get('/operations'),
      workspaces_create: await ana.post('/workspaces', { name: 'Tools' }),
      workspaces_list: await ana.get('/workspaces'),
    }
    for (const [name, { status, body }] of Object.entries(answers)) {
      const schema = tools.find(tool => tool.name === name)?.outputSchema
      const describes = ajv.compile(schema ?? false)
      t.ok(status < 300 && describes(body), `${name}: ${ajv.errorsText(describes.errors)}`)
    }
  })

  await t.test('are small enough to be read by a model', async t => {
    const bytes = Buffer.byteLength(JSON.stringify(tools))
    t.ok(bytes < 60_000, `${bytes} bytes`)
  })
})

function toEffect({ readOnlyHint, destructiveHint, idempotentHint }: z.infer<typeof annotations>): string {
  if (readOnlyHint) return 'reads'
  if (destructiveHint) return 'destroys'
  return idempotentHint ? 'sets' : 'writes'
}
