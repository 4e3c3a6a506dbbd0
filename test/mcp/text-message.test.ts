import { readFileSync } from 'node:fs'
import { test } from 'tap'
import wabt from 'wabt'
import { escapeModule } from '../../plugins/mcp/text/escape-module.ts'
import { createEscaper, longestRest, longestText } from '../../plugins/mcp/text/escaper.ts'
import { printMessage, type TextResult, toTextMessage } from '../../plugins/mcp/text/text-message.ts'
import { projectFile } from '../project.ts'

const more = '"resultType":"complete"'

test('a text is copied as JSON.stringify would print it, whatever stands where', async t => {
  const texts = ['', 'a', 'é', '"', '\\', '\u007f\u0080\u2028', '😀"', 'x'.repeat(longestText)]
  // Every way in which eight characters can need a backslash, with either of the two, and every length around that.
  for (let marks = 0; marks < 256; marks++) {
    const characters = Array.from({ length: 8 }, (_, index) =>
      (marks >> index) & 1 ? '"\\'[index % 2] : 'ã'[0],
    )
    texts.push(characters.join(''), `${marks}`.padEnd(marks % 19, 'abcdefg"'))
  }
  for (const text of texts) compare({ text, isStructured: false, isError: false })

  function compare(result: TextResult) {
    const message = toTextMessage(1, result, more).toString()
    if (message !== printMessage(1, result, more).toString())
      t.fail(`wrong for ${JSON.stringify(result.text)}`)
    if (JSON.parse(message).result.content[0].text !== result.text) t.fail(`lost ${result.text}`)
  }
})

test('the members of a result stand around its text', async t => {
  const text = '{"name":"a\\nb \\"c\\" é"}'
  const content = [{ type: 'text', text }]
  const result = { text, isStructured: false, isError: false }
  t.same(read('ü"', result, more), { id: 'ü"', result: { content, resultType: 'complete' } })
  t.same(read(7, { ...result, isError: true }, ''), { id: 7, result: { content, isError: true } })
  t.same(read(7, { ...result, isStructured: true }, more), {
    id: 7,
    result: { content, structuredContent: { name: 'a\nb "c" é' }, resultType: 'complete' },
  })

  function read(id: string | number, result: TextResult, more: string) {
    const message = toTextMessage(id, result, more)
    t.same(message, printMessage(id, result, more))
    const { jsonrpc, ...rest } = JSON.parse(message.toString())
    t.equal(jsonrpc, '2.0')
    return rest
  }
})

test('what is too long or takes more than a backslash is printed', async t => {
  const controls = Array.from({ length: 32 }, (_, code) => `quoted "${String.fromCharCode(code)}" and more`)
  const texts = [...controls, `${'x'.repeat(longestText)}"`, '"'.repeat(longestText), '€'.repeat(longestText)]
  for (const text of texts) {
    const result = { text, isStructured: false, isError: false }
    t.same(toTextMessage(1, result, more), printMessage(1, result, more))
  }
  const result = { text: '{"a":1}', isStructured: true, isError: false }
  const id = '€'.repeat(longestRest)
  t.equal(JSON.parse(toTextMessage(id, result, more).toString()).id, id)
})

test('what is no Unicode is replaced', async t => {
  const message = toTextMessage(1, { text: 'a\ud800"b', isStructured: false, isError: false }, more)
  t.equal(JSON.parse(message.toString()).result.content[0].text, 'a\ufffd"b')
})

test('a message is no part of what the next one is made in', async t => {
  const long = { text: '"'.repeat(20_000), isStructured: false, isError: false }
  const first = toTextMessage(1, long, more)
  const copy = Buffer.from(first)
  toTextMessage(2, { ...long, text: 'é'.repeat(40_000) }, more)
  t.same(first, copy)
  const short = toTextMessage(3, { ...long, text: 'short' }, '').toString()
  t.equal(short, '{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"short"}]}}')
})

test('the escaper is there, and stops at a control character', async t => {
  const escaper = createEscaper()
  if (escaper === null) return t.fail('this engine has none')
  const { memory, room } = escaper
  const end = escaper.escape(memory.write('say "yes"'), room)
  t.equal(memory.toString('utf8', room, end), 'say \\"yes\\"')
  t.equal(escaper.escape(memory.write('say\n"yes"'), room), 0)
})

test('the longest text fits in twice', async t => {
  for (const character of ['€', '"', 'x']) {
    const result = { text: JSON.stringify(character.repeat(30_000)), isStructured: true, isError: true }
    t.same(toTextMessage('€'.repeat(2_000), result, more), printMessage('€'.repeat(2_000), result, more))
  }
  const result = { text: '€'.repeat(longestText), isStructured: true, isError: false }
  t.same(toTextMessage(1, result, more), printMessage(1, result, more))
})

test('an engine without it has no escaper', async t => {
  t.equal(createEscaper('AGFzbQ'), null)
})

test('the module is compiled from its text', async t => {
  const { parseWat } = await wabt()
  const text = readFileSync(projectFile('plugins/mcp/text/escape.wat'), 'utf8')
  const { buffer } = parseWat('escape.wat', text).toBinary({})
  t.equal(escapeModule, Buffer.from(buffer).toString('base64'))
})
