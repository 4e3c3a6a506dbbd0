import { test } from 'tap'
import { startApp } from '../plumbing/start-app.ts'
import { insertEmail, insertInbox } from '../support/insert-email.ts'
import { ask, createAgent, yes } from './agent.ts'

test('instances understand each other while the key is being changed', async t => {
  const [old, fresh] = ['o'.repeat(40), 'f'.repeat(40)]
  const first = await startApp(t, { env: { CONFIRMATION_KEYS: old } })
  const both = await startApp(t, { beside: first, env: { CONFIRMATION_KEYS: `${fresh},${old}` } })
  const last = await startApp(t, { beside: first, env: { CONFIRMATION_KEYS: fresh } })
  const inboxId = await insertInbox(first.database, first.people.billing)
  const attempt = async (from: typeof first, to: typeof first) => {
    const id = await insertEmail(first.database, first.people.billing, { inboxId })
    const bruno = createAgent(from.app, first.people.bruno)
    const { state } = await ask(bruno, 'emails_delete', { id })
    return (await bruno.call('emails_delete', { id }, { state, responses: yes, at: to.app })).verdict
  }
  t.equal(await attempt(first, both), 'done', 'the old key is still understood')
  t.equal(await attempt(both, last), 'done', 'the new one signs')
  t.equal(await attempt(first, last), -32602, 'the old one is gone')
})
