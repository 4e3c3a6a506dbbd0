import { test } from 'tap'
import { z } from 'zod'
import { createAgent } from '../confirmation/agent.ts'
import { bearer, startApp } from '../plumbing/start-app.ts'
import { storeEmail } from '../resources/store-email.ts'
import { storeOperation } from '../resources/store-operation.ts'
import { insertDelivery } from '../support/insert-delivery.ts'
import { insertInbox } from '../support/insert-email.ts'

const listed = z.looseObject({
  resources: z.array(z.looseObject({ uri: z.string(), size: z.int().optional() })),
})
const templates = z.looseObject({
  resourceTemplates: z.array(z.looseObject({ uriTemplate: z.string() })),
})
const read = z.looseObject({
  contents: z.tuple([z.strictObject({ uri: z.string(), mimeType: z.string(), text: z.string() })]),
})

const answer = z.looseObject({ data: z.looseObject({ id: z.string(), webhook_id: z.string().optional() }) })

/** What the lists show to somebody who may see everything. */
const fixed = {
  'kobana://inbox/guide': null,
  'kobana://inbox/inboxes': '/inboxes',
  'kobana://inbox/me': '/me',
  'kobana://inbox/rules': '/rules',
  'kobana://inbox/stats': '/stats',
  'kobana://inbox/webhooks': '/webhooks',
}
const templated = [
  'kobana://inbox/deliveries/{id}',
  'kobana://inbox/emails/{email_id}/extraction',
  'kobana://inbox/emails/{id}',
  'kobana://inbox/emails/{id}/text',
  'kobana://inbox/inboxes/{id}',
  'kobana://inbox/members/{user_id}',
  'kobana://inbox/operations/{id}',
  'kobana://inbox/rules/{id}',
  'kobana://inbox/webhooks/{id}',
]

async function start(t: Parameters<typeof startApp>[0]) {
  const started = await startApp(t)
  const { app, database, people } = started
  const { workspaceId } = people.billing
  const inboxId = await insertInbox(database, people.billing)
  const text = 'Olá — 1 < 2\nconfirm: yes'
  const emailId = await storeEmail(database, people.billing, { inboxId, text, from: 'ana@fornecedor.test' })
  const createdBy = people.ana
  const operationId = await storeOperation(database, people.billing, { emailId, createdBy })
  const ana = createAgent(app, people.ana, { workspaceId })
  const deliveryId = await database.inTenant(people.billing, trx => insertDelivery(trx, people.billing))
  const { webhook_id: webhookId = '' } = answer.parse(
    JSON.parse((await ana.call('deliveries_get', { id: deliveryId })).text),
  ).data
  const conditions = [{ field: 'subject', operator: 'contains', value: 'invoice' }]
  const rule = { key: 'invoices', name: 'Invoices', conditions, actions: { label: ['invoice'] } }
  const made = await ana.call('rules_upsert', rule)
  const { id: ruleId } = answer.parse(JSON.parse(made.text)).data
  return { ...started, ana, workspaceId, inboxId, emailId, operationId, text, deliveryId, webhookId, ruleId }
}

test('resources of the inbox', async t => {
  const {
    app,
    database,
    people,
    ana,
    workspaceId,
    inboxId,
    emailId,
    operationId,
    text: emailText,
    deliveryId,
    webhookId,
    ruleId,
  } = await start(t)

  await t.test('documents are what the routes answer, byte for byte', async t => {
    const { resources } = listed.parse(await ana.request('resources/list'))
    t.same(
      resources.map(({ uri }) => uri),
      Object.keys(fixed),
    )
    const { resourceTemplates } = templates.parse(await ana.request('resources/templates/list'))
    t.same(
      resourceTemplates.map(({ uriTemplate }) => uriTemplate),
      templated,
    )

    const raw = async (path: string) => {
      const headers = { ...bearer(people.ana), 'x-workspace-id': workspaceId }
      return (await app.inject({ method: 'GET', url: `/api/v1${path}`, headers })).body
    }
    const document = async (uri: string) =>
      read.parse(await ana.request('resources/read', { uri })).contents[0]
    for (const [uri, path] of Object.entries({
      ...fixed,
      [`kobana://inbox/emails/${emailId}`]: `/emails/${emailId}`,
      [`kobana://inbox/emails/${emailId}/extraction`]: `/emails/${emailId}/extraction`,
      [`kobana://inbox/inboxes/${inboxId}`]: `/inboxes/${inboxId}`,
      [`kobana://inbox/operations/${operationId}`]: `/operations/${operationId}`,
      [`kobana://inbox/rules/${ruleId}`]: `/rules/${ruleId}`,
      [`kobana://inbox/webhooks/${webhookId}`]: `/webhooks/${webhookId}`,
      [`kobana://inbox/deliveries/${deliveryId}`]: `/deliveries/${deliveryId}`,
      [`kobana://inbox/members/${people.bia}`]: `/members/${people.bia}`,
    })) {
      if (path === null) continue
      t.same(await document(uri), { uri, mimeType: 'application/json', text: await raw(path) }, uri)
    }
    const guide = await document('kobana://inbox/guide')
    t.equal(guide.mimeType, 'text/markdown')
    t.match(guide.text, /^# Guide to the Autonomous Inbox/)
    t.equal(resources.find(({ uri }) => uri === guide.uri)?.size, Buffer.byteLength(guide.text))
    t.same(await document(`kobana://inbox/emails/${emailId}/text`), {
      uri: `kobana://inbox/emails/${emailId}/text`,
      mimeType: 'text/plain',
      text: emailText,
    })
  })

  await t.test('what is not there and what is not yours are the same', async t => {
    const leo = createAgent(app, people.leo)
    for (const [agent, uri] of [
      [leo, `kobana://inbox/emails/${emailId}`],
      [leo, `kobana://inbox/emails/${emailId}/text`],
      [leo, `kobana://inbox/emails/${emailId}/extraction`],
      [ana, 'kobana://inbox/emails/eml_00000000000000000000000000'],
      [ana, 'kobana://inbox/emails/..'],
      [ana, 'kobana://inbox/emails/%2e%2e'],
      [ana, 'kobana://inbox/emails/..%2Fme'],
      [ana, 'kobana://inbox/emails/'],
      [ana, 'kobana://inbox/nothing'],
      [ana, 'https://example.com/'],
    ] as const)
      t.same(await agent.request('resources/read', { uri }), {
        code: -32602,
        message: 'Resource not found',
        data: { uri },
      })
    const anywhere = createAgent(app, people.ana)
    const unnamed = await anywhere.request('resources/read', { uri: 'kobana://inbox/inboxes' })
    t.match(JSON.stringify(unnamed), /workspace_required/, 'who must say more is told so')
    t.match(await anywhere.request('resources/read', { uri: 'kobana://inbox/me' }), { contents: [{}] })
  })

  await t.test('lists have what the token and the role cover', async t => {
    const mail = createAgent(app, people.ana, { workspaceId, scopes: ['emails:read'] })
    const { resources } = listed.parse(await mail.request('resources/list'))
    t.same(
      resources.map(({ uri }) => uri),
      ['kobana://inbox/guide', 'kobana://inbox/me', 'kobana://inbox/stats'],
    )
    const { resourceTemplates } = templates.parse(await mail.request('resources/templates/list'))
    t.same(
      resourceTemplates.map(({ uriTemplate }) => uriTemplate),
      templated.filter(uri => uri.startsWith('kobana://inbox/emails')),
    )
  })

  await t.test('a text too long to be read at once is cut, and says so', async t => {
    const emailId = await storeEmail(database, people.billing, { inboxId, text: 'é'.repeat(131_080) })
    const uri = `kobana://inbox/emails/${emailId}/text`
    const { text } = read.parse(await ana.request('resources/read', { uri })).contents[0]
    t.match(
      text,
      /^é{131072}\n\n\[Cut after 131072 of 131080 characters: emails_get with text_offset 131072 goes on\.\]$/,
    )
  })

  await t.test('variables of templates are completed from what the caller can list', async t => {
    const complete = async (uri: string, name: string, value: string, agent = ana) =>
      (
        await agent.request('completion/complete', {
          ref: { type: 'ref/resource', uri },
          argument: { name, value },
        })
      ).completion
    const all = { total: 1, hasMore: false }
    for (const [uri, name, typed, id] of [
      ['kobana://inbox/emails/{id}', 'id', 'ana@for', emailId],
      ['kobana://inbox/emails/{id}/text', 'id', 'FORNECEDOR', emailId],
      ['kobana://inbox/emails/{email_id}/extraction', 'email_id', emailId.slice(0, 20), emailId],
      ['kobana://inbox/inboxes/{id}', 'id', 'Inbox', inboxId],
      ['kobana://inbox/operations/{id}', 'id', 'email.pr', operationId],
      ['kobana://inbox/rules/{id}', 'id', 'invo', ruleId],
      ['kobana://inbox/webhooks/{id}', 'id', 'hooks.ex', webhookId],
      ['kobana://inbox/deliveries/{id}', 'id', 'https://hooks', deliveryId],
      ['kobana://inbox/members/{user_id}', 'user_id', 'bia@', people.bia],
    ] as const)
      t.same(await complete(uri, name, typed), { values: [id], ...all }, uri)
    const leo = createAgent(app, people.leo)
    t.same(await complete('kobana://inbox/emails/{id}', 'id', '', leo), {
      values: [],
      total: 0,
      hasMore: false,
    })
    const { resourceTemplates } = templates.parse(await ana.request('resources/templates/list'))
    for (const { uriTemplate } of resourceTemplates)
      for (const [, name = ''] of uriTemplate.matchAll(/\{(\w+)\}/g))
        t.ok(await complete(uriTemplate, name, ''), `${uriTemplate}: ${name} has values`)
  })
})
