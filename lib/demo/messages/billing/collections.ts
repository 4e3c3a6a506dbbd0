import { formatDay, formatReais, toDay } from '../brazilian-text.ts'
import { type CollectionTerms, formatCollectionLine, toCollectionLine } from '../codes/collection-line.ts'
import { toHtmlPage } from '../compose/html-page.ts'
import type { MailParts, MessageDraft } from '../compose/message-draft.ts'
import { toPdf } from '../files/pdf.ts'
import { parseTable } from '../parse-table.ts'
import { months, toMoment } from '../schedule.ts'
import type { SeededRandom } from '../seeded-random.ts'

interface Collector {
  name: string
  mailbox: string
  what: string
  day: number
  segment: number
  valueKind: CollectionTerms['valueKind']
  company: string
  amount: number
}

// name | mailbox | what | day of the month | segment | value kind | collector | cents
const collectors = parseTable(`
  Luz do Planalto Energia | conta@luzdoplanalto.test        | Conta de energia           | 5  | 3 | 6 | 0048 | 784512
  Águas da Serra          | fatura@aguasdaserra.test        | Conta de água e esgoto     | 8  | 2 | 6 | 0097 | 123478
  Fala Brasil Telecom     | fatura-digital@falabrasil.test  | Telefonia e internet       | 12 | 4 | 6 | 0162 | 259990
  Gás Sul Distribuição    | conta@gassul.test               | Gás encanado               | 16 | 3 | 8 | 0057 | 45633
  Prefeitura de Vila Nova | tributos@vilanova.test          | ISS do mês                 | 18 | 1 | 8 | 0816 | 312044
  Receita Estadual        | guia@receita-estadual.test      | ICMS, guia de recolhimento | 23 | 5 | 8 | 0185 | 1780215
`).map(toCollector)

/** Utility and tax bills, each month, with 48-digit lines of both kinds (modulus 10 and modulus 11). */
export function createCollectionDrafts(inbox: string, random: SeededRandom): MessageDraft[] {
  return months.flatMap((month, turn) =>
    collectors.map((collector, index) => {
      const date = toMoment(month, collector.day, random)
      const due = toDay(date, 12)
      const amount = collector.amount + random.integer(-9_999, 9_999)
      const freeField = due.replaceAll('-', '') + random.digits(17)
      const line = toCollectionLine({ ...collector, amount, freeField })
      return {
        kind: 'arrecadacao',
        inbox,
        from: { name: collector.name, address: collector.mailbox },
        date,
        subject: `${collector.what}: ${formatReais(amount)}, vence em ${formatDay(due)}`,
        mail: toMail({ collector, amount, due, line }, index + turn),
        codes: { boletos: [line] },
      }
    }),
  )
}

interface Bill {
  collector: Collector
  amount: number
  due: string
  line: string
}

function toMail(bill: Bill, turn: number): MailParts {
  const facts: [string, string][] = [
    ['Valor', formatReais(bill.amount)],
    ['Vencimento', formatDay(bill.due)],
    ['Código de barras', formatCollectionLine(bill.line)],
  ]
  const lines = facts.map(([label, value]) => `${label}: ${value}`)
  const text = [`${bill.collector.what} disponível.`, '', ...lines, '', bill.collector.name, ''].join('\n')
  const html = toHtmlPage({
    title: bill.collector.what,
    paragraphs: ['Sua conta digital chegou. Cadastre-a em débito automático e economize tempo.'],
    rows: facts,
    footer: 'Mensagem automática, não responda.',
  })
  const pdf = {
    filename: 'segunda-via.pdf',
    contentType: 'application/pdf',
    content: toPdf(bill.collector.what, lines),
  }
  if (turn % 3 === 0) return { html }
  return turn % 3 === 1 ? { text, html } : { text, html, attachments: [pdf] }
}

function toCollector(row: string[]): Collector {
  const [name = '', mailbox = '', what = '', day, segment, valueKind, company = '', amount] = row
  return {
    name,
    mailbox,
    what,
    day: Number(day),
    segment: Number(segment),
    valueKind: Number(valueKind) === 6 ? 6 : 8,
    company,
    amount: Number(amount),
  }
}
