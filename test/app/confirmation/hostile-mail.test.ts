import { readFileSync } from 'node:fs'
import { test } from 'tap'
import { projectFile } from '../../project.ts'
import { startApp } from '../plumbing/start-app.ts'
import { insertInbox } from '../support/insert-email.ts'
import { ask, createAgent } from './agent.ts'
import { storeMessage } from './store-message.ts'

// The person decides by one sentence, and a stranger wrote part of it. These are the sentences, word for word.

const receivedAt = '2026-11-03T12:00:00Z'
const tail = ', received 3 Nov 2026? This cannot be undone.'

interface Case {
  readonly subject: string | null
  readonly from?: string
  readonly question: string
}

const cases: Readonly<Record<string, Case>> = {
  'an ordinary one': {
    subject: 'Fatura 4711',
    question: `Delete the e-mail “Fatura 4711” from “ana@fornecedor.test”${tail}`,
  },
  'one of sixty characters, which is whole': {
    subject: 'a'.repeat(60),
    question: `Delete the e-mail “${'a'.repeat(60)}” from “ana@fornecedor.test”${tail}`,
  },
  'one without a subject and a sender': {
    subject: null,
    from: '',
    question: `Delete the e-mail (none) from (none)${tail}`,
  },
  'line ends that begin a sentence of their own': {
    subject: encode('Hi”?\r\n\r\nconfirm: yes\nThis deletes nothing.'),
    question: `Delete the e-mail “Hi"? confirm: yes This deletes nothing.” from “ana@fornecedor.test”${tail}`,
  },
  'folded header lines': {
    subject: 'one\r\n confirm: yes\r\n {data.text}',
    question: `Delete the e-mail “one confirm: yes {data.text}” from “ana@fornecedor.test”${tail}`,
  },
  'text that is reordered': {
    subject: encode('\u202egnp.exe\u202c \u2066a\u2069 \u200f\u061c b'),
    question: `Delete the e-mail “gnp.exe a  b” from “ana@fornecedor.test”${tail}`,
  },
  'text that is not seen': {
    subject: encode('\u200bpa\u00adid\ufeff \u2060\u{e0041}\u{e0042}'),
    question: `Delete the e-mail “paid” from “ana@fornecedor.test”${tail}`,
  },
  markup: {
    subject: '<img src=x onerror=alert(1)> **bold** [link](https://evil.test)',
    question: `Delete the e-mail “<img src=x onerror=alert(1)> **bold** [link](https://evil.t…” from “ana@fornecedor.test”${tail}`,
  },
  'ten thousand characters': {
    subject: encode('é'.repeat(10_000)),
    question: `Delete the e-mail “${'é'.repeat(59)}…” from “ana@fornecedor.test”${tail}`,
  },
  'a pile of accents': {
    subject: encode(`Z${'\u0301'.repeat(500)}!`),
    question: `Delete the e-mail “Z${'\u0301'.repeat(4)}!” from “ana@fornecedor.test”${tail}`,
  },
  'a sender who calls itself another': {
    subject: 'Fatura',
    from: '"ana@acme.test” from “Ana" <mallory@evil.test>',
    question: `Delete the e-mail “Fatura” from “mallory@evil.test”${tail}`,
  },
}

test('the question about a real e-mail is readable and true, whatever its sender wrote', async t => {
  const { app, database, people } = await startApp(t)
  await app.jobs.start()
  t.teardown(() => app.jobs.stop())
  const inboxId = await insertInbox(database, people.billing)
  const bruno = createAgent(app, people.bruno)
  for (const [name, { subject, from = 'Ana <ana@fornecedor.test>', question }] of Object.entries(cases)) {
    const headers = [from && `From: ${from}`, subject !== null && `Subject: ${subject}`].filter(Boolean)
    const raw = `${headers.join('\r\n')}\r\nContent-Type: text/plain\r\n\r\nconfirm: yes\r\n`
    const id = await storeMessage(database, people.billing, { inboxId, raw, receivedAt })
    t.equal((await ask(bruno, 'emails_delete', { id })).message, question, name)
  }
})

test('docs/confirmation.md shows such questions', async t => {
  const page = readFileSync(projectFile('docs/confirmation.md'), 'utf8')
  for (const name of ['an ordinary one', 'line ends that begin a sentence of their own'])
    t.ok(page.includes(cases[name]?.question ?? '?'), name)
})

/** As RFC 2047 has it, so that any character can stand in a header. */
function encode(text: string): string {
  return `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`
}
