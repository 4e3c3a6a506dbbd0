import { test } from 'tap'
import { parseMessage } from '../../../lib/mail/parse-message.ts'
import { readTnef } from '../../../lib/mail/tnef/read-tnef.ts'
import {
  attribute,
  bytesProperty,
  fixedProperty,
  makeTnef,
  namedProperty,
  oldTextProperty,
  textProperty,
  textsProperty,
  toPackedMessages,
} from './support/make-tnef.ts'

const pdf = Buffer.from('%PDF-1.7 not really')
const boleto = {
  title: Buffer.from('BOLETO~1.PDF'),
  content: pdf,
  properties: [
    fixedProperty(0x3, 0x3705, Buffer.from([1, 0, 0, 0])),
    fixedProperty(0xb, 0x7ffe, Buffer.from([1, 0])),
    fixedProperty(0x40, 0x3007, Buffer.alloc(8, 1)),
    fixedProperty(0x48, 0x0e20, Buffer.alloc(16, 1)),
    namedProperty(0x8501, 'by number'),
    namedProperty('x-of-ours', 'by name'),
    textsProperty(0x3707 + 0x100, ['several', 'texts']),
    bytesProperty(0x3702, Buffer.from([1, 2, 3])),
    textProperty(0x3707, 'Boleto março.pdf'),
    textProperty(0x370e, 'Application/PDF'),
  ],
}

test('a winmail.dat is opened: its files with the names and types that they had', t => {
  const { files, text } = readTnef(
    makeTnef({
      files: [
        boleto,
        { title: Buffer.from('relat\xf3rio.txt', 'latin1'), content: Buffer.from('two') },
        {
          title: Buffer.from('IMAGE0~1.PNG'),
          content: Buffer.alloc(0),
          properties: [oldTextProperty(0x3704, Buffer.from('imagem.png')), textProperty(0x3712, 'logo@acme')],
        },
      ],
    }),
  )
  t.equal(text, null)
  t.same(files, [
    { filename: 'Boleto março.pdf', contentType: 'application/pdf', contentId: null, content: pdf },
    { filename: 'relatório.txt', contentType: null, contentId: null, content: Buffer.from('two') },
    { filename: 'imagem.png', contentType: null, contentId: 'logo@acme', content: Buffer.alloc(0) },
  ])
  t.end()
})

test('its names are in its code page', t => {
  const names: readonly [number, Buffer, string][] = [
    [932, Buffer.from([0x90, 0xbf, 0x8b, 0x81, 0x8f, 0x91]), '請求書'],
    [1251, Buffer.from([0xf1, 0xf7, 0xb8, 0xf2]), 'счёт'],
    [65_001, Buffer.from('São Paulo'), 'São Paulo'],
    [424_242, Buffer.from('S\xe3o Paulo', 'latin1'), 'São Paulo'],
  ]
  for (const [codePage, title, expected] of names) {
    const { files } = readTnef(makeTnef({ codePage, files: [{ title, content: pdf }] }))
    t.same(
      files.map(({ filename }) => filename),
      [expected],
      String(codePage),
    )
  }
  t.end()
})

test('its text is what is said in it, the property before the old form', t => {
  const body = Buffer.from('Segue o boleto \x96 vence sexta', 'latin1')
  t.match(readTnef(makeTnef({ body, files: [] })).text, /^Segue o boleto .* vence sexta$/)
  const messageProperties = [textProperty(0x1000, 'Segue o boleto ☺')]
  t.equal(readTnef(makeTnef({ body, messageProperties, files: [] })).text, 'Segue o boleto ☺')
  t.end()
})

test('of what is cut off, changed or made up there is what came whole before', t => {
  const whole = makeTnef({ files: [boleto, { ...boleto, content: Buffer.from('the second file') }] })
  const second = whole.indexOf('the second file')
  for (const end of [second, second + 15, second + 16]) {
    t.equal(readTnef(whole.subarray(0, end)).files.length, 1, `${end} of ${whole.length} bytes`)
  }
  const changed = Buffer.from(whole)
  changed[second] = 0x54
  t.same(
    readTnef(changed).files.map(({ content }) => content),
    [pdf],
    'a wrong sum',
  )
  const lies = Buffer.alloc(64, 0xff)
  for (const data of [
    lies,
    Buffer.alloc(0),
    Buffer.from([1, 0, 0, 0, 0x1f, 0x10, 0, 0x10, 0xff, 0xff, 0xff, 0xff]),
  ]) {
    const { files, text } = readTnef(
      Buffer.concat([makeTnef({ files: [boleto] }), attribute(1, 0x00069003, data)]),
    )
    t.same([files.length, text], [1, null])
  }
  for (const bytes of [Buffer.alloc(0), lies, pdf, whole.subarray(1)])
    t.same(readTnef(bytes), { text: null, files: [] })
  t.end()
})

test('in a message the files stand behind the package, which stays', async t => {
  const tnef = makeTnef({ body: Buffer.from('packed'), files: [boleto] })
  const messages = toPackedMessages(tnef)
  const alone = await parseMessage(messages.alone)
  const behind = await parseMessage(messages.behind)
  t.equal(alone.text, 'packed')
  t.equal(behind.text, 'hello')
  for (const { attachments } of [alone, behind]) {
    t.match(attachments, [
      { filename: 'winmail.dat', contentType: 'application/ms-tnef', content: tnef },
      {
        filename: 'Boleto março.pdf',
        contentType: 'application/pdf',
        disposition: 'attachment',
        content: pdf,
      },
    ])
  }
})

test('what is packed counts as what is attached', async t => {
  const many = makeTnef({ files: Array.from({ length: 250 }, () => boleto) })
  await t.rejects(parseMessage(toPackedMessages(many).alone), { code: 'too_many_attachments' })
  const long = makeTnef({ body: Buffer.alloc(5_242_881, 'x'), files: [] })
  await t.rejects(parseMessage(toPackedMessages(long).alone), { code: 'text_too_large' })
})
