import { test } from 'tap'
import { z } from 'zod'
import { startErasureWorker } from '../../../lib/personal-data/start-erasure-worker.ts'
import { eventually } from '../../lib/jobs/support/start-jobs.ts'
import { countRows } from '../../lib/retention/support/aged-rows.ts'
import { recordOf } from '../audit/audit-events.ts'
import { startApp } from '../plumbing/start-app.ts'
import { toRecord, toRefusal, withoutRequestId } from '../resources/answers.ts'
import { type Answer, createPerson } from '../resources/person.ts'
import { insertInbox } from '../support/insert-email.ts'
import { carla, cpf, storeMail } from './subjects.ts'

const operation = z.object({
  data: z.looseObject({ id: z.string(), status: z.string(), resource: z.object({ id: z.string() }) }),
})

test('an erasure', async t => {
  const { app, database, people } = await startApp(t)
  const { billing, support, main } = people
  await app.jobs.start()
  t.teardown(() => app.jobs.stop())
  const inboxId = await insertInbox(database, billing)
  const ids = await storeMail(database, billing, inboxId)
  const theirs = await storeMail(database, main, await insertInbox(database, main))
  const bia = createPerson(app, people.bia)
  const emails = async () => {
    const rows = await database.asOwner(trx => trx.selectFrom('emails').select('id').execute())
    return rows.map(({ id }) => id)
  }
  const ended = async (answer: Answer) => {
    t.equal(answer.status, 202)
    const { id } = operation.parse(answer.body).data
    t.equal(answer.headers.location, `/api/v1/operations/${id}`)
    return eventually(async () => {
      const { data } = operation.parse((await bia.get(`/operations/${id}`)).body)
      return ['succeeded', 'failed'].includes(data.status) && data
    })
  }

  await t.test('is for admins, with a token to write e-mails and inboxes', async t => {
    for (const who of [people.bruno, people.vera]) {
      const person = createPerson(app, who, { workspaceId: billing.workspaceId })
      t.equal(toRefusal(await person.post('/data-erasures', { address: carla })), '403 forbidden')
      t.equal(toRefusal(await person.get(`/data-erasures/preview?address=${carla}`)), '403 forbidden')
    }
    const reader = createPerson(app, people.bia, { scopes: ['emails:write'] })
    t.equal(toRefusal(await reader.post('/data-erasures', { address: carla })), '403 insufficient_scope')
    t.equal((await emails()).length, 12)
  })

  await t.test('names one subject', async t => {
    t.match(toRefusal(await bia.post('/data-erasures', {})), '400 validation_failed')
    t.match(toRefusal(await bia.post('/data-erasures', { address: carla, document: cpf })), /^400/)
    t.match(toRefusal(await bia.post('/data-erasures', { document: '123' })), /^400 validation_failed/)
    const half = await bia.post('/data-erasures', { address: 'a\ud800@b.test' })
    t.equal(toRefusal(half), '400 validation_failed address', 'half of a surrogate pair')
    t.match(toRefusal(await bia.get('/data-erasures/preview')), /^400 validation_failed/)
    t.match(toRefusal(await bia.get(`/data-erasures/preview?address=${carla}&all=1`)), /^400/)
  })

  await t.test('is counted first, in its workspace only, and counting deletes nothing', async t => {
    const preview = (query: string) => bia.get(`/data-erasures/preview?${query}`)
    t.match((await preview(`address=${carla.toUpperCase()}`)).body, { data: { emails: 3, bytes: 26 } })
    t.match((await preview('document=529.982.247-25')).body, { data: { emails: 1, bytes: 8 } })
    t.match((await preview('address=nobody@a.test')).body, { data: { emails: 0, bytes: 0 } })
    const other = createPerson(app, people.ana, { workspaceId: support.workspaceId })
    const counted = await other.get(`/data-erasures/preview?address=${carla}`)
    t.match(counted.body, { data: { emails: 0, bytes: 0 } })
    t.equal((await emails()).length, 12)
  })

  await t.test('asked for twice before it began is one operation', async t => {
    const first = await bia.post('/data-erasures', { address: carla })
    const second = await bia.post('/data-erasures', { address: carla })
    t.equal(toRecord(second).id, toRecord(first).id)
    t.match(toRecord(first), { kind: 'data.erase', status: 'queued', resource: { type: 'data_erasure' } })
    await startErasureWorker({ database, jobs: app.jobs })
    t.match(await ended(first), { status: 'succeeded', error: null })
  })

  await t.test('deletes what the sender sent, deleted ones too, and nothing else of anybody', async t => {
    const left = [ids.toHer, ids.withCpf, ids.unrelated, ...Object.values(theirs)]
    t.same((await emails()).sort(), left.sort())
    t.match(await countRows(database), { email_sources: 9, email_texts: 9, attachments: 1, events: 1 })
    t.match((await bia.get(`/data-erasures/preview?address=${carla}`)).body, { data: { emails: 0 } })
  })

  await t.test(
    'of a document deletes the e-mails that it was extracted from, and ends on record',
    async t => {
      let id = ''
      const events = await recordOf({ app, database }, async () => {
        const done = await ended(await bia.post('/data-erasures', { document: '529.982.247-25' }))
        id = done.resource.id
      })
      t.same(
        events.map(({ action, via, resource_id, counts }) => ({ action, via, resource_id, counts })),
        [
          { action: 'data_erasures_create', via: 'rest', resource_id: events[0]?.resource_id, counts: null },
          { action: 'data.erase', via: 'system', resource_id: id, counts: { emails: 1, bytes: 8 } },
        ],
      )
      t.notOk((await emails()).includes(ids.withCpf))
      t.ok((await emails()).includes(ids.unrelated))
      const answer = await bia.get(`/data-erasures/${id}`)
      t.match(toRecord(answer), { id, subject_kind: 'document', emails: 1, bytes: 8 })
      t.notMatch(JSON.stringify(events), new RegExp(cpf))
    },
  )

  await t.test('once done holds no trace of whom it was for', async t => {
    const everything = await database.asOwner(async trx => [
      await trx.selectFrom('data_erasures').selectAll().execute(),
      await trx.selectFrom('audit_events').selectAll().execute(),
      await trx.selectFrom('operations').selectAll().execute(),
    ])
    const { rows } = await database.pool.query('select data, output from pgboss.job')
    const text = JSON.stringify([everything, rows])
    t.ok(rows.length >= 2)
    t.notMatch(text, /carla/i)
    t.notMatch(text, new RegExp(cpf))
  })

  await t.test('of somebody who sent nothing succeeds with nothing', async t => {
    const done = await ended(await bia.post('/data-erasures', { address: 'nobody@a.test' }))
    t.match(done, { status: 'succeeded' })
    t.match(toRecord(await bia.get(`/data-erasures/${done.resource.id}`)), { emails: 0, bytes: 0 })
  })

  await t.test('of another workspace is as if it never existed', async t => {
    const [{ id } = { id: '' }] = await database.asOwner(trx =>
      trx.selectFrom('data_erasures').select('id').execute(),
    )
    t.equal((await bia.get(`/data-erasures/${id}`)).status, 200)
    const other = createPerson(app, people.ana, { workspaceId: support.workspaceId })
    for (const stranger of [createPerson(app, people.leo), other]) {
      const unknown = withoutRequestId(await stranger.get('/data-erasures/era_00000000000000000000000000'))
      t.match(unknown, { code: 'not_found' })
      t.same(withoutRequestId(await stranger.get(`/data-erasures/${id}`)), unknown)
      t.same(withoutRequestId(await stranger.get('/data-erasures/x')), unknown)
    }
  })
})
