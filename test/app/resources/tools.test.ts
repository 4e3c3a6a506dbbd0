import Ajv from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { test } from 'tap'
import { z } from 'zod'
import { audiences, bearer, startApp } from '../plumbing/start-app.ts'
import { insertInbox } from '../support/insert-email.ts'
import { toRecord } from './answers.ts'
import { createPerson } from './person.ts'
import { storeEmail } from './store-email.ts'
import { storeAttachment, storeExtraction } from './store-extraction.ts'
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
  allowed_senders_add: 'destroys',
  allowed_senders_list: 'reads',
  allowed_senders_remove: 'destroys',
  allowed_senders_replace: 'destroys',
  allowed_senders_set_policy: 'destroys',
  attachments_get: 'reads',
  attachments_list: 'reads',
  audit_events_list: 'reads',
  deliveries_get: 'reads',
  deliveries_list: 'reads',
  deliveries_redeliver: 'destroys',
  emails_delete: 'destroys',
  emails_get: 'reads',
  emails_list: 'reads',
  emails_reprocess: 'destroys',
  emails_update: 'sets',
  extractions_get: 'reads',
  extractions_list: 'reads',
  inboxes_create: 'writes',
  inboxes_delete: 'destroys',
  inboxes_get: 'reads',
  inboxes_list: 'reads',
  inboxes_update: 'sets',
  inboxes_upsert: 'sets',
  me_get: 'reads',
  members_list: 'reads',
  members_update: 'destroys',
  operations_get: 'reads',
  operations_list: 'reads',
  rules_delete: 'destroys',
  rules_get: 'reads',
  rules_list: 'reads',
  rules_test: 'reads',
  rules_upsert: 'sets',
  stats_get: 'reads',
  webhooks_create: 'destroys',
  webhooks_delete: 'destroys',
  webhooks_get: 'reads',
  webhooks_list: 'reads',
  webhooks_rotate_secret: 'destroys',
  webhooks_test: 'destroys',
  webhooks_update: 'destroys',
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
    const attachmentId = await storeAttachment(database, people.billing, { emailId, reading: 'broken' })
    const found = { emailId, inboxId, kind: 'boleto' as const, value: '1', details: { amount: '1.00' } }
    await storeExtraction(database, people.billing, found)
    const conditions = [{ field: 'text', operator: 'contains', value: 'x' }]
    const rule = { key: 'tools', name: 'Tools', conditions, actions: { label: ['b'], mark: 'read' } }
    const upserted = await ana.put('/rules', rule)
    const ruleId = toRecord(upserted).id
    const answers = {
      attachments_get: await ana.get(`/attachments/${attachmentId}`),
      attachments_list: await ana.get(`/emails/${emailId}/attachments`),
      extractions_get: await ana.get(`/emails/${emailId}/extraction`),
      extractions_list: await ana.get('/extractions'),
      rules_get: await ana.get(`/rules/${ruleId}`),
      rules_list: await ana.get('/rules'),
      rules_test: await ana.post(`/rules/${ruleId}/test`, { email_id: emailId }),
      rules_upsert: upserted,
      allowed_senders_list: await ana.get(`/inboxes/${inboxId}/allowed-senders`),
      allowed_senders_replace: await ana.put(`/inboxes/${inboxId}/allowed-senders`, {
        patterns: ['@a.test'],
      }),
      audit_events_list: await ana.get('/audit-events'),
      emails_get: await ana.get(`/emails/${emailId}`),
      emails_list: await ana.get('/emails'),
      emails_update: await ana.patch(`/emails/${emailId}`, { read: true }),
      inboxes_get: await ana.get(`/inboxes/${inboxId}`),
      inboxes_list: await ana.get('/inboxes'),
      inboxes_upsert: await ana.put('/inboxes', { address: 'tools@acme.test', name: 'Tools' }),
      me_get: await ana.get('/me'),
      members_list: await ana.get('/members'),
      members_update: await ana.patch(`/members/${people.bruno}`, { role: 'viewer' }),
      stats_get: await ana.get('/stats'),
      operations_get: await ana.get(`/operations/${operationId}`),
      operations_list: await ana.get('/operations'),
      webhooks_create: await ana.post('/webhooks', {
        url: 'https://hooks.example.com/',
        event_types: ['email.failed'],
      }),
      webhooks_list: await ana.get('/webhooks'),
      deliveries_list: await ana.get('/deliveries'),
      workspaces_create: await ana.post('/workspaces', { name: 'Tools' }),
      workspaces_list: await ana.get('/workspaces'),
    }
    for (const [name, { status, body }] of Object.entries(answers)) {
      const schema = tools.find(tool => tool.name === name)?.outputSchema
      const describes = ajv.compile(schema ?? false)
      t.ok(status < 300 && describes(body), `${name}: ${ajv.errorsText(describes.errors)}`)
    }
  })
})

function toEffect({ readOnlyHint, destructiveHint, idempotentHint }: z.infer<typeof annotations>): string {
  if (readOnlyHint) return 'reads'
  if (destructiveHint) return 'destroys'
  return idempotentHint ? 'sets' : 'writes'
}
