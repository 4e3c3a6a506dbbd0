import { test } from 'tap'
import { extract } from '../../../lib/extract/extract.ts'
import { MESSAGE_DATE } from './fixtures/find.ts'

// Processor time is what is bounded; on a busy machine the clock takes longer.
const patient = { timeout: 110_000 }

const BOLETO = '00190.50095 40144.816069 06809.350314 3 37370000000100 '
const PIX =
  '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***6304'

// Five megabytes of digits that are nothing, and of digits grouped like everything.
const digits = toDigits(5_000_000)
const large: Record<string, string> = {
  digits,
  ones: '1'.repeat(5_000_000),
  'digits in fours': group(digits, 4, ' '),
  'digits in elevens': group(digits, 11, '\n'),
}

// Texts that are beginnings of something over and over, or one thing that never ends.
const hostile: Record<string, string> = {
  'single digits': '1 ',
  dots: '1.',
  commas: 'R$ 1,',
  slashes: '12/',
  'impossible dates': '31/02/2026 ',
  'ambiguous amounts': 'R$ 1,234 ',
  'signs of currency': 'R$',
  'Pix beginnings': '000201',
  'Pix beginnings with the name': '00020126580014br.gov.bcb.pix\n',
  'broken Pix codes': `${PIX.replace(/(.{15})/g, '$1\n')}0000 `,
  boletos: BOLETO,
  'boletos and CPFs': `${BOLETO} CPF 529.982.247-25 `,
  links: 'https://a.b ',
  'links in links': 'https://',
  'closing brackets': `https://a.b/${'('.repeat(2000)}${')'.repeat(2080)} `,
  'words for codes': 'code ',
  'codes without end': 'seu código 123456 ',
  blanks: ' \u00a0',
  'quotation marks': '\n> > ',
  'invisible characters': '1\u200b',
  'half characters': '\ud83d',
  'open elements': '<b>',
  'elements closed by others': '<b></i>',
  cells: '<td>1',
  'open angles': '<',
  comments: '<!--',
  entities: '&#49;',
  hrefs: '<a href="https://a.b/&amp;">',
  'an endless tag': '<a href=x ',
}

test('five megabytes of digits are read well under two seconds', patient, t => {
  for (const [name, text] of Object.entries(large)) {
    const time = measure(() => extract([{ source: 'text', text }], { messageDate: MESSAGE_DATE }))
    t.ok(time < 2000, `${name}: ${Math.round(time)} ms`)
  }
  t.end()
})

test('no text makes the time grow faster than its length', patient, t => {
  for (const [name, piece] of Object.entries(hostile)) {
    for (const source of ['text', 'html'] as const) {
      const text = piece.repeat(Math.ceil(200_000 / piece.length))
      const time = measure(() => extract([{ source, text }], { messageDate: MESSAGE_DATE }))
      t.ok(time < 700, `${name} in ${source}: ${Math.round(time)} ms`)
    }
  }
  t.end()
})

test('many sources take no longer than one of their length', patient, t => {
  const sources = Array.from({ length: 50 }, () => ({
    source: 'attachment' as const,
    text: digits.slice(0, 100_000),
  }))
  const time = measure(() => extract(sources, { messageDate: MESSAGE_DATE }))
  t.ok(time < 2000, `${Math.round(time)} ms`)
  t.end()
})

/** Processor time, in milliseconds: other work on the machine does not count. */
function measure(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

// The same digits at every run, by the generator of Lewis, Goodman and Miller.
function toDigits(length: number): string {
  const pieces: string[] = []
  for (let seed = 7, size = 0; size < length; size += 8) {
    seed = (seed * 16_807) % 2_147_483_647
    pieces.push(String(seed % 100_000_000).padStart(8, '0'))
  }
  return pieces.join('').slice(0, length)
}

function group(text: string, size: number, separator: string): string {
  return text.replace(new RegExp(`(\\d{${size}})`, 'g'), `$1${separator}`).slice(0, 5_000_000)
}
