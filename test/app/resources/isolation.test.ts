import { test } from 'tap'
import { createId, type IdPrefix } from '../../../lib/id/id.ts'
import { startApp } from '../plumbing/start-app.ts'
import { insertInbox } from '../support/insert-email.ts'
import { toIds, toRecord, toRefusal, withoutRequestId } from './answers.ts'
import { type Answer, createPerson, type Person } from './person.ts'
import { storeEmail } from './store-email.ts'
import { storeAttachment, storeExtraction } from './store-extraction.ts'
import { storeOperation } from './store-operation.ts'

/** Every operation on one record of a workspace. */
const operations: readonly { prefix: IdPrefix; name: string; run: Run }[] = [
  { prefix: 'inb', name: 'inboxes_get', run: (who, id) => who.get(`/inboxes/${id}`) },
  { prefix: 'inb', name: 'inboxes_update', run: (who, id) => who.patch(`/inboxes/${id}`, { name: 'Mine' }) },
  { prefix: 'inb', name: 'inboxes_delete', run: (who, id) => who.delete(`/inboxes/${id}`) },
  { prefix: 'eml', name: 'emails_get', run: (who, id) => who.get(`/emails/${id}`) },
  { prefix: 'eml', name: 'emails_get_raw', run: (who, id) => who.get(`/emails/${id}/raw`) },
  { prefix: 'eml', name: 'emails_update', run: (who, id) => who.patch(`/emails/${id}`, { read: true }) },
  { prefix: 'eml', name: 'emails_delete', run: (who, id) => who.delete(`/emails/${id}`) },
  { prefix: 'eml', name: 'emails_reprocess', run: (who, id) => who.post(`/emails/${id}/reprocess`) },
  { prefix: 'eml', name: 'attachments_list', run: (who, id) => who.get(`/emails/${id}/attachments`) },
  { prefix: 'eml', name: 'extractions_get', run: (who, id) => who.get(`/emails/${id}/extraction`) },
  { prefix: 'att', name: 'attachments_get', run: (who, id) => who.get(`/attachments/${id}`) },
  { prefix: 'att', name: 'attachments_get_content', run: (who, id) => who.get(`/attachments/${id}/content`) },
  { prefix: 'rul', name: 'rules_get', run: (who, id) => who.get(`/rules/${id}`) },
  { prefix: 'rul', name: 'rules_delete', run: (who, id) => who.delete(`/rules/${id}`) },
  { prefix: 'rul', name: 'rules_test', run: (who, id) => who.post(`/rules/${id}/test`, { email_id: id }) },
  { prefix: 'opr', name: 'operations_get', run: (who, id) => who.get(`/operations/${id}`) },
]

type Run = (who: Person, id: string) => Promise<Answer>

test('what belongs to another workspace or organization', async t => {
  const { app, database, people } = await startApp(t)
  const { billing, support } = people
  const inboxId = await insertInbox(database, billing)
  const emailId = await storeEmail(database, billing, { inboxId, text: 'secret', raw: 'secret' })
  const operationId = await storeOperation(database, billing, { emailId, createdBy: people.bia })
  const attachmentId = await storeAttachment(database, billing, { emailId })
  const found = { emailId, inboxId, kind: 'cnpj' as const, value: '12ABC34501DE35' }
  const extractionId = await storeExtraction(database, billing, found)
  const bia = createPerson(app, people.bia)
  const conditions = [{ field: 'subject', operator: 'contains', value: 'x' }]
  const rule = { key: 'theirs', name: 'Theirs', conditions, actions: { notify: true } }
  const ruleId = toRecord(await bia.put('/rules', rule)).id
  const theirs: Partial<Record<IdPrefix, string>> = {
    inb: inboxId,
    eml: emailId,
    opr: operationId,
    att: attachmentId,
    rul: ruleId,
  }
  const strangers = {
    'an admin of another workspace': createPerson(app, people.ana, { workspaceId: support.workspaceId }),
    'an admin of another organization': createPerson(app, people.leo),
  }

  for (const { prefix, name, run } of operations) {
    await t.test(`is to ${name} as if it never existed`, async t => {
      const id = theirs[prefix] ?? ''
      for (const [who, stranger] of Object.entries(strangers)) {
        const unknown = withoutRequestId(await run(stranger, createId(prefix)))
        t.match(unknown, { code: 'not_found', answered: 404 })
        t.same(withoutRequestId(await run(stranger, id)), unknown, who)
        for (const malformed of toMalformed(id)) {
          t.same(withoutRequestId(await run(stranger, malformed)), unknown, malformed)
        }
      }
    })
  }

  await t.test('is not told apart by If-Match, or by an idempotency key', async t => {
    for (const stranger of Object.values(strangers)) {
      const headers = { 'if-match': '"99"', 'idempotency-key': `strange-${createId('key')}` }
      t.equal(toRefusal(await stranger.patch(`/emails/${emailId}`, { read: true }, headers)), '404 not_found')
    }
  })

  await t.test('is in none of their lists', async t => {
    for (const stranger of Object.values(strangers)) {
      for (const path of ['/inboxes', '/emails', '/operations', `/emails?inbox_id=${inboxId}`]) {
        t.same(toIds(await stranger.get(path)), { ids: [], next: null }, path)
      }
      t.same(toIds(await stranger.get(`/operations?email_id=${emailId}`)).ids, [])
      for (const query of ['', `?email_id=${emailId}`, `?inbox_id=${inboxId}`, `?value=${found.value}`]) {
        t.same(toIds(await stranger.get(`/extractions${query}`)).ids, [], query)
      }
      for (const query of ['', '?key=theirs']) t.same(toIds(await stranger.get(`/rules${query}`)).ids, [])
      t.same(toIds(await stranger.get(`/inboxes?address=${inboxId}@inbox.test`)).ids, [])
    }
  })

  await t.test('cannot be reached by naming its workspace', async t => {
    const { workspaceId } = billing
    const leo = createPerson(app, people.leo, { workspaceId })
    t.equal(toRefusal(await leo.get(`/emails/${emailId}`)), '404 workspace_not_found')
    const chosen = createPerson(app, people.leo, { defaultWorkspaceId: workspaceId })
    t.equal(toRefusal(await chosen.get(`/emails/${emailId}`)), '404 workspace_not_found')
  })

  await t.test('is untouched after all that', async t => {
    t.match(await bia.get(`/inboxes/${inboxId}`), { status: 200, headers: { etag: '"1"' } })
    t.match(await bia.get(`/emails/${emailId}`), { status: 200, headers: { etag: '"1"' } })
    t.same(toIds(await bia.get(`/operations?email_id=${emailId}`)).ids, [operationId])
    t.match(await bia.get(`/rules/${ruleId}`), { status: 200, headers: { etag: '"1"' } })
    t.same(toIds(await bia.get(`/extractions?email_id=${emailId}`)).ids, [extractionId])
    t.same(toIds(await bia.get(`/emails/${emailId}/attachments`)).ids, [attachmentId])
  })

  await t.test('does not take its key away: the same in another workspace is another rule', async t => {
    for (const stranger of Object.values(strangers)) {
      t.equal((await stranger.put('/rules', rule)).status, 201)
      const test = await stranger.post(`/rules/${toRecord(await stranger.put('/rules', rule)).id}/test`, {
        email_id: emailId,
      })
      t.equal(toRefusal(test), '404 not_found', 'nor can it be tried on their e-mail')
    }
  })
})

/** Ids that are none, as they stand in a path. */
function toMalformed(id: string): string[] {
  const encoded = ['%00', '%0A', '%20', '%2F..%2F', '%5C', '%3F', '%23', '%25', '*', `${id}%00`, `${id}%20`]
  return [...encoded, 'x', id.toUpperCase(), id.slice(0, -1), `${id}0`, id.replace('_', '-'), '%F0%9F%98%80']
}
