import { test } from 'tap'
import { toSender } from '../../../lib/allowed-senders/to-sender.ts'

test('senders and patterns are compared in one form', async t => {
  for (const [text, form] of [
    [' Ana@ACME.Test ', 'ana@acme.test'],
    ['@Acme.test', '@acme.test'],
    ['ana@MÜNCHEN.example', 'ana@xn--mnchen-3ya.example'],
    ['ana@xn--mnchen-3ya.example', 'ana@xn--mnchen-3ya.example'],
    ['"a@b"@acme.test', '"a@b"@acme.test'],
    ['JOSÉ@acme.test', 'josé@acme.test'],
    ['', ''],
    ['nobody', 'nobody'],
    ['@', '@'],
  ] as const) {
    t.equal(toSender(text), form)
  }
})

test('what is no domain is not made one', async t => {
  for (const text of ['a@b@é', 'a@[127.0.0.1]', 'a@1', 'a@ａ b']) t.match(toSender(text), /^a@/)
  t.equal(toSender('a@0x7f.1'), 'a@0x7f.1')
})
