import { test } from 'tap'
import { z } from 'zod'
import { createId } from '../../../lib/id/id.ts'
import { toCursor } from '../../../lib/paging/cursor.ts'
import { startApp } from '../plumbing/start-app.ts'
import { toRefusal } from '../resources/answers.ts'
import { type Answer, createPerson, type Person } from '../resources/person.ts'
import { insertInbox } from '../support/insert-email.ts'

const page = z.looseObject({
  data: z.array(z.looseObject({ pattern: z.string() })),
  meta: z.looseObject({ next_cursor: z.string().nullable() }),
})

const toPatterns = ({ body }: Answer) => page.parse(body).data.map(({ pattern }) => pattern)

/** Every operation on the list of an inbox that writes. */
const writes: Record<
  string,
  (who: Person, inboxId: string, headers?: Record<string, string>) => Promise<Answer>
> = {
  add: (who, id, headers) =>
    who.post(`/inboxes/${id}/allowed-senders`, { patterns: ['new@acme.test'] }, headers),
  replace: (who, id, headers) =>
    who.put(`/inboxes/${id}/allowed-senders`, { patterns: ['@only.test'] }, headers),
  remove: (who, id, headers) => who.delete(`/inboxes/${id}/allowed-senders?pattern=%40old.test`, headers),
  setPolicy: (who, id, headers) =>
    who.put(`/inboxes/${id}/allowed-senders/policy`, { policy: 'allowlist' }, headers),
}

test('who may send to an inbox', async t => {
  const { app, database, people } = await startApp(t)
  const { workspaceId } = people.billing
  const bia = createPerson(app, people.bia)
  const bruno = createPerson(app, people.bruno)
  const vera = createPerson(app, people.vera, { workspaceId })
  const reader = createPerson(app, people.bia, { scopes: ['inboxes:read'] })
  const strangers = [
    createPerson(app, people.ana, { workspaceId: people.support.workspaceId }),
    createPerson(app, people.leo),
  ]
  const create = async () => {
    const id = await insertInbox(database, people.billing)
    await bia.put(`/inboxes/${id}/allowed-senders`, { patterns: ['@old.test', 'old@acme.test'] })
    return id
  }

  await t.test('is not decided by viewers and operators, nor with a token that only reads', async t => {
    const id = await create()
    for (const [name, write] of Object.entries(writes)) {
      t.equal(toRefusal(await write(vera, id)), '403 forbidden', name)
      t.equal(toRefusal(await write(bruno, id)), '403 forbidden', name)
      t.equal(toRefusal(await write(reader, id)), '403 insufficient_scope', name)
    }
    t.same(toPatterns(await vera.get(`/inboxes/${id}/allowed-senders`)), ['@old.test', 'old@acme.test'])
  })

  await t.test(
    "is nothing to other workspaces and organizations: their answer is an absent inbox's",
    async t => {
      const id = await create()
      for (const stranger of strangers) {
        for (const [name, write] of Object.entries(writes)) {
          t.equal(toRefusal(await write(stranger, id, { 'if-match': '"99"' })), '404 not_found', name)
          t.equal(toRefusal(await write(stranger, createId('inb'))), '404 not_found', name)
        }
        t.equal(toRefusal(await stranger.get(`/inboxes/${id}/allowed-senders`)), '404 not_found')
      }
      t.same(toPatterns(await bia.get(`/inboxes/${id}/allowed-senders`)), ['@old.test', 'old@acme.test'])
      await bia.delete(`/inboxes/${id}`)
      for (const [name, write] of Object.entries(writes))
        t.equal(toRefusal(await write(bia, id)), '404 not_found', name)
      t.equal(toRefusal(await bia.get(`/inboxes/${id}/allowed-senders`)), '404 not_found', 'deleted')
    },
  )

  await t.test('is an address or a domain, and anything else is refused by its place', async t => {
    const id = await create()
    const wrong = [
      '',
      'acme.test',
      '@',
      '@acme',
      '@.test',
      'a@b@c.test',
      '*@acme.test',
      'a b@acme.test',
      '@-a.test',
    ]
    wrong.push(
      '.a@acme.test',
      '"a"@acme.test',
      'a@[127.0.0.1]',
      `@${'a'.repeat(64)}.test`,
      `${'a'.repeat(65)}@a.test`,
    )
    for (const pattern of wrong) {
      const body = { patterns: ['fine@acme.test', pattern] }
      const refusal = '400 validation_failed patterns.1'
      t.equal(toRefusal(await bia.post(`/inboxes/${id}/allowed-senders`, body)), refusal, pattern)
      t.equal(toRefusal(await bia.put(`/inboxes/${id}/allowed-senders`, body)), refusal, pattern)
      const removal = await bia.delete(
        `/inboxes/${id}/allowed-senders?pattern=${encodeURIComponent(pattern)}`,
      )
      t.equal(toRefusal(removal), '400 validation_failed pattern', pattern)
    }
    const refused: [object, string][] = [
      [{}, 'patterns'],
      [{ patterns: [] }, 'patterns'],
      [{ patterns: ['a@b.test'], colour: 'red' }, 'colour'],
      [{ patterns: Array.from({ length: 101 }, (_, at) => `a${at}@b.test`) }, 'patterns'],
    ]
    for (const [body, path] of refused)
      t.equal(
        toRefusal(await bia.post(`/inboxes/${id}/allowed-senders`, body)),
        `400 validation_failed ${path}`,
      )
    t.equal(
      toRefusal(await bia.put(`/inboxes/${id}/allowed-senders/policy`, { policy: 'nobody' })),
      '400 validation_failed policy',
    )
    t.same(toPatterns(await bia.get(`/inboxes/${id}/allowed-senders`)), ['@old.test', 'old@acme.test'])
  })

  await t.test('is added, in one spelling and once', async t => {
    const id = await create()
    const patterns = [' New@ACME.test ', '@Example.com', 'old@acme.test', 'new@acme.test', '@München.example']
    const added = await bia.post(`/inboxes/${id}/allowed-senders`, { patterns }, { 'if-match': '"2"' })
    t.match(added, {
      status: 200,
      headers: { etag: '"3"' },
      body: { data: { inbox_id: id, sender_policy: 'anyone', allowed_senders: 5, version: 3 } },
    })
    const list = await vera.get(`/inboxes/${id}/allowed-senders`)
    t.same(toPatterns(list).sort(), [
      '@example.com',
      '@old.test',
      '@xn--mnchen-3ya.example',
      'new@acme.test',
      'old@acme.test',
    ])
    t.match(list.headers, { etag: '"3"' })
    t.match(await bia.post(`/inboxes/${id}/allowed-senders`, { patterns }), { headers: { etag: '"3"' } })
  })

  await t.test('is replaced and removed, and the version of the inbox tells', async t => {
    const id = await create()
    const stale = { 'if-match': '"1"' }
    for (const [name, write] of Object.entries(writes))
      t.equal(toRefusal(await write(bia, id, stale)), '412 precondition_failed', name)

    t.match(await writes.remove?.(bia, id, { 'if-match': '"2"' }), {
      status: 200,
      headers: { etag: '"3"' },
      body: { data: { allowed_senders: 1 } },
    })
    t.equal(toRefusal((await writes.remove?.(bia, id)) ?? fail()), '404 not_found')
    const odd = "o'brien+a/b?c#d@acme.test"
    await bia.post(`/inboxes/${id}/allowed-senders`, { patterns: [odd] })
    t.match(await bia.delete(`/inboxes/${id}/allowed-senders?pattern=${encodeURIComponent(odd)}`), {
      status: 200,
    })

    t.match(await bia.put(`/inboxes/${id}/allowed-senders`, { patterns: ['@a.test', 'b@b.test'] }), {
      headers: { etag: '"6"' },
    })
    t.match(await bia.put(`/inboxes/${id}/allowed-senders`, { patterns: ['b@b.test', '@a.test'] }), {
      headers: { etag: '"6"' },
    })
    t.same(toPatterns(await bia.get(`/inboxes/${id}/allowed-senders`)), ['@a.test', 'b@b.test'])
    t.match(await bia.put(`/inboxes/${id}/allowed-senders`, { patterns: [] }), {
      headers: { etag: '"7"' },
      body: { data: { allowed_senders: 0 } },
    })
    t.match(await bia.get(`/inboxes/${id}`), { headers: { etag: '"7"' } })
  })

  await t.test('is a policy, which only its own operation changes', async t => {
    const id = await create()
    const set = await writes.setPolicy?.(bia, id, { 'if-match': '"2"' })
    t.match(set, { status: 200, headers: { etag: '"3"' }, body: { data: { sender_policy: 'allowlist' } } })
    t.match(await writes.setPolicy?.(bia, id), { headers: { etag: '"3"' } })
    const address = `${id}@inbox.test`
    t.match(await bia.put('/inboxes', { address, name: 'Again' }), {
      status: 200,
      body: { data: { sender_policy: 'allowlist', version: 4 } },
    })
    t.match(await bia.patch(`/inboxes/${id}`, { name: 'Once more' }), {
      body: { data: { sender_policy: 'allowlist' } },
    })
    for (const body of [{ sender_policy: 'anyone' }, { allowed_senders: [] }])
      t.match(toRefusal(await bia.patch(`/inboxes/${id}`, body)), /400 validation_failed/)
    t.same(toPatterns(await bia.get(`/inboxes/${id}/allowed-senders`)), ['@old.test', 'old@acme.test'])
  })

  await t.test('is walked page by page, up to 1,000', async t => {
    const id = await insertInbox(database, people.billing)
    const patterns = Array.from({ length: 1000 }, (_, at) => `a${String(at).padStart(4, '0')}@b.test`)
    t.match(await bia.put(`/inboxes/${id}/allowed-senders`, { patterns }), { status: 200 })
    const more = { patterns: [...patterns, 'z@b.test'] }
    t.equal(
      toRefusal(await bia.put(`/inboxes/${id}/allowed-senders`, more)),
      '400 validation_failed patterns',
    )
    const one = await bia.post(`/inboxes/${id}/allowed-senders`, { patterns: ['z@b.test'] })
    t.equal(toRefusal(one), '409 conflict')

    const walked: string[] = []
    for (let next: string | null = ''; next !== null; ) {
      const cursor: string = next && `&cursor=${next}`
      const answer = await vera.get(`/inboxes/${id}/allowed-senders?limit=100${cursor}`)
      walked.push(...toPatterns(answer))
      next = page.parse(answer.body).meta.next_cursor
    }
    t.same(walked, patterns)
    const first = page.parse((await vera.get(`/inboxes/${id}/allowed-senders?limit=1`)).body).meta.next_cursor
    const elsewhere = await vera.get(`/inboxes/${await create()}/allowed-senders?cursor=${first}`)
    t.equal(toRefusal(elsewhere), '400 validation_failed cursor')
    // Anybody can write a cursor: it holds no secret.
    const listing = { operation: 'allowed_senders_list', owner: workspaceId, filters: { inbox_id: id } }
    for (const [text, status] of [
      ['a0998@b.test', 200],
      ['a\0@b.test', 400],
      ['a\u0007@b.test', 400],
      ['b.test', 400],
    ] as const) {
      const written = await vera.get(`/inboxes/${id}/allowed-senders?cursor=${toCursor(listing, [text])}`)
      t.equal(written.status, status, JSON.stringify(text))
      if (status === 200) t.same(toPatterns(written), ['a0999@b.test'])
      else t.equal(toRefusal(written), '400 validation_failed cursor')
    }
  })

  await t.test('is changed by several at once without losing any', async t => {
    const id = await create()
    await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        bia.post(`/inboxes/${id}/allowed-senders`, { patterns: [`n${at}@acme.test`] }),
      ),
    )
    t.match(await bia.get(`/inboxes/${id}`), { headers: { etag: '"10"' } })
    t.equal(toPatterns(await bia.get(`/inboxes/${id}/allowed-senders`)).length, 10)
  })
})

function fail(): never {
  throw new Error('there is such an operation')
}
