import { test } from 'tap'
import { z } from 'zod'
import { recordSystemEvent } from '../../../lib/audit/record-events.ts'
import { startApp } from '../plumbing/start-app.ts'
import { toIds, toRefusal } from '../resources/answers.ts'
import { type Answer, createPerson } from '../resources/person.ts'
import { insertEmail, insertInbox } from '../support/insert-email.ts'

const list = z.object({
  data: z.array(z.looseObject({ action: z.string(), workspace_id: z.string().nullable() })),
})
const toActions = ({ body }: Answer) => list.parse(body).data.map(({ action }) => action)

test('the list of audit events', async t => {
  const { app, database, people } = await startApp(t)
  const { billing, support, main, acme } = people
  const ana = createPerson(app, people.ana, { workspaceId: billing.workspaceId })
  const bia = createPerson(app, people.bia)
  const inSupport = createPerson(app, people.ana, { workspaceId: support.workspaceId })
  const leo = createPerson(app, people.leo)
  const inboxId = await insertInbox(database, billing)
  const emailId = await insertEmail(database, billing, { inboxId })

  await bia.patch(`/emails/${emailId}`, { read: true })
  await ana.patch(`/emails/${emailId}`, { labels: ['a'] })
  await bia.patch(`/inboxes/${inboxId}`, { status: 'asleep' })
  await app.auditSettled()
  await ana.post('/workspaces', { name: 'Third' })
  await leo.post('/inboxes', { address: 'leo@globex.test', name: 'Leo' })
  await inSupport.post('/inboxes', { address: 'support@acme.test', name: 'Support' })
  await database.inTenant(billing, trx =>
    recordSystemEvent(trx, billing, {
      action: 'retention.purge',
      resource: { type: 'inbox', id: inboxId },
      counts: { emails: 3 },
    }),
  )
  await database.asOwner(trx =>
    recordSystemEvent(
      trx,
      { organizationId: acme.id },
      { action: 'erasure.run', outcome: 'failed', code: 'timeout' },
    ),
  )

  await t.test('is for admins, with a token for it', async t => {
    const { workspaceId } = billing
    for (const person of [createPerson(app, people.bruno), createPerson(app, people.vera, { workspaceId })])
      t.equal(toRefusal(await person.get('/audit-events')), '403 forbidden')
    const blind = createPerson(app, people.bia, { scopes: ['emails:write'] })
    t.equal(toRefusal(await blind.get('/audit-events')), '403 insufficient_scope')
  })

  await t.test('refuses what it does not know, and cursors of other lists', async t => {
    for (const [query, path] of [
      ['actor=x', 'actor'],
      ['actor_id=x', 'actor_id'],
      ['outcome=lost', 'outcome'],
      ['via=fax', 'via'],
      ['after=yesterday', 'after'],
      ['cursor=forged', 'cursor'],
    ]) {
      t.equal(toRefusal(await bia.get(`/audit-events?${query}`)), `400 validation_failed ${path}`)
    }
    const { next } = toIds(await bia.get('/audit-events?limit=1'))
    t.equal(toRefusal(await bia.get(`/audit-events?via=rest&cursor=${next}`)), '400 validation_failed cursor')
    t.equal(toRefusal(await inSupport.get(`/audit-events?cursor=${next}`)), '400 validation_failed cursor')
  })

  await t.test("has the workspace's own and the organization's, newest first", async t => {
    t.same(toActions(await bia.get('/audit-events')), [
      'erasure.run',
      'retention.purge',
      'workspaces_create',
      'inboxes_update',
      'emails_update',
      'emails_update',
    ])
    t.same(toActions(await inSupport.get('/audit-events')), [
      'erasure.run',
      'inboxes_create',
      'workspaces_create',
    ])
    t.same(toActions(await leo.get('/audit-events')), ['inboxes_create'])
    t.notMatch(
      JSON.stringify((await leo.get('/audit-events')).body),
      new RegExp(`${acme.id}|${main.organizationId}`),
    )
  })

  await t.test('shows who, through what, on what and how it ended', async t => {
    const { body } = await bia.get('/audit-events?resource_type=email&limit=1', { 'user-agent': 'x/1' })
    t.match(body, {
      data: [
        {
          id: /^aud_/,
          occurred_at: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
          workspace_id: billing.workspaceId,
          actor_id: people.ana,
          client_id: 'test-client',
          client: { name: 'lightMyRequest', version: null },
          via: 'rest',
          action: 'emails_update',
          resource: { type: 'email', id: emailId },
          outcome: 'succeeded',
          code: null,
          status: 200,
          replayed: false,
          counts: null,
          request_id: /^req_/,
        },
      ],
    })
    t.match((await bia.get('/audit-events?via=system')).body, {
      data: [
        {
          actor_id: null,
          client: null,
          workspace_id: null,
          outcome: 'failed',
          code: 'timeout',
          status: null,
        },
        { resource: { type: 'inbox', id: inboxId }, counts: { emails: 3 }, request_id: null },
      ],
    })
  })

  await t.test('is narrowed by each filter', async t => {
    const cut = new Date().toISOString()
    const narrowed: [string, string[]][] = [
      [`actor_id=${people.ana}`, ['workspaces_create', 'emails_update']],
      ['action=inboxes_update', ['inboxes_update']],
      ['resource_type=workspace', ['workspaces_create']],
      [`resource_id=${emailId}`, ['emails_update', 'emails_update']],
      ['outcome=refused', ['inboxes_update']],
      ['via=mcp', []],
      [`after=${cut}`, []],
      [`before=${cut}&outcome=failed`, ['erasure.run']],
      [`resource_id=${emailId}&actor_id=${people.bia}&via=rest`, ['emails_update']],
    ]
    for (const [query, actions] of narrowed)
      t.same(toActions(await bia.get(`/audit-events?${query}`)), actions, query)
  })

  await t.test('is walked page by page', async t => {
    const all = toIds(await bia.get('/audit-events')).ids
    const walked: string[] = []
    for (let next: string | null = ''; next !== null; ) {
      const page = toIds(await bia.get(`/audit-events?limit=2${next && `&cursor=${next}`}`))
      walked.push(...page.ids)
      next = page.next
    }
    t.same(walked, all)
  })
})
