import { formatDay, formatReais, toDay } from '../brazilian-text.ts'
import { formatBoletoLine, toBoletoLine } from '../codes/boleto-line.ts'
import { formatCnpj } from '../codes/cnpj.ts'
import { toFreeField } from '../codes/free-field.ts'
import type { Company } from '../companies.ts'
import { toHtmlPage } from '../compose/html-page.ts'
import type { MailParts, MessageDraft } from '../compose/message-draft.ts'
import { toPdf } from '../files/pdf.ts'
import { months, toMoment } from '../schedule.ts'
import type { SeededRandom } from '../seeded-random.ts'

export interface Payer {
  name: string
  cnpj: string
}

interface Bill {
  supplier: Company
  payer: Payer
  number: number
  amount: number
  due: string
  line: string
}

/** One boleto a month of each supplier. Where the line stands differs: text and HTML, HTML only, PDF only. */
export function createBoletoDrafts(
  suppliers: readonly Company[],
  target: { inbox: string; payer: Payer; firstNumber: number },
  random: SeededRandom,
): MessageDraft[] {
  return months.flatMap((month, turn) =>
    suppliers.map((supplier, index) => {
      const date = toMoment(month, supplier.day, random)
      const amount = supplier.amount + random.integer(0, 9_999)
      const number = target.firstNumber + turn * 97 + index * 11
      const due = toDay(date, random.integer(5, 25))
      const freeField = toFreeField(supplier.account, number * 10 + turn)
      const line = toBoletoLine({ bank: supplier.account.bank, freeField, amount, due })
      const bill: Bill = { supplier, payer: target.payer, number, amount, due, line }
      return {
        kind: 'boleto',
        inbox: target.inbox,
        from: { name: supplier.name, address: supplier.mailbox },
        date,
        subject: `Fatura ${number} - ${supplier.name} - vencimento ${formatDay(due)}`,
        mail: layouts[(index + turn) % layouts.length]?.(bill) ?? toBoth(bill),
        codes: { boletos: [line], cnpjs: [supplier.cnpj, target.payer.cnpj] },
      }
    }),
  )
}

const layouts = [toBoth, toHtmlOnly, toPdfOnly, toBothWithPdf]

function toBoth(bill: Bill): MailParts {
  return { text: toText(bill), html: toHtml(bill) }
}

function toBothWithPdf(bill: Bill): MailParts {
  return { ...toBoth(bill), attachments: [toAttachment(bill)] }
}

function toHtmlOnly(bill: Bill): MailParts {
  return { html: toHtml(bill) }
}

function toPdfOnly(bill: Bill): MailParts {
  const text = [
    'Prezado cliente,',
    '',
    `O boleto da fatura ${bill.number} está no PDF em anexo.`,
    '',
    bill.supplier.name,
    '',
  ]
  return { text: text.join('\n'), attachments: [toAttachment(bill)] }
}

function toText(bill: Bill): string {
  return [
    `Olá, ${bill.payer.name}!`,
    '',
    `Sua fatura nº ${bill.number} já está disponível.`,
    '',
    ...toRows(bill).map(([label, value]) => `${label}: ${value}`),
    '',
    'Em caso de pagamento já efetuado, desconsidere este aviso.',
    '',
    `Atenciosamente,\n${bill.supplier.name}`,
    '',
  ].join('\n')
}

function toHtml(bill: Bill): string {
  return toHtmlPage({
    title: `Fatura nº ${bill.number}`,
    paragraphs: [`Olá, ${bill.payer.name}! Sua fatura já está disponível.`],
    rows: toRows(bill),
    footer: `${bill.supplier.name} · CNPJ ${formatCnpj(bill.supplier.cnpj)} · ${bill.supplier.city}`,
  })
}

function toRows(bill: Bill): [string, string][] {
  return [
    ['Beneficiário', `${bill.supplier.name} (CNPJ ${formatCnpj(bill.supplier.cnpj)})`],
    ['Pagador', `${bill.payer.name} (CNPJ ${formatCnpj(bill.payer.cnpj)})`],
    ['Referente a', bill.supplier.item],
    ['Valor', formatReais(bill.amount)],
    ['Vencimento', formatDay(bill.due)],
    ['Linha digitável', formatBoletoLine(bill.line)],
  ]
}

function toAttachment(bill: Bill) {
  const lines = toRows(bill).map(([label, value]) => `${label}: ${value}`)
  return {
    filename: `boleto-${bill.number}.pdf`,
    contentType: 'application/pdf',
    content: toPdf(`Boleto ${bill.number}`, lines),
  }
}
