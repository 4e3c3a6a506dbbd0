import { formatDay, formatReais, toDay } from '../brazilian-text.ts'
import { formatCnpj } from '../codes/cnpj.ts'
import { formatNfeKey, toNfeKey } from '../codes/nfe-key.ts'
import type { Company } from '../companies.ts'
import type { MailParts, MessageDraft } from '../compose/message-draft.ts'
import { type NfeDocument, toNfeXml } from '../files/nfe-xml.ts'
import { toPdf } from '../files/pdf.ts'
import { months, toMoment } from '../schedule.ts'
import type { SeededRandom } from '../seeded-random.ts'
import type { Payer } from './boletos.ts'

/** One NF-e a month of each issuer: the key in the text or only in the files, XML and DANFE attached. */
export function createNfeDrafts(
  issuers: readonly Company[],
  target: { inbox: string; payer: Payer; firstNumber: number },
  random: SeededRandom,
): MessageDraft[] {
  return months.flatMap((month, turn) =>
    issuers.map((issuer, index) => {
      const date = toMoment(month, issuer.day, random)
      const nfe = toDocument(
        issuer,
        { date, payer: target.payer, number: target.firstNumber + index * 701 + turn * 13 },
        random,
      )
      return {
        kind: 'nfe',
        inbox: target.inbox,
        from: { name: issuer.name, address: issuer.mailbox },
        date,
        subject: `NF-e ${nfe.number} emitida por ${issuer.name}`,
        mail: toMail(nfe, index + turn),
        codes: { nfeKeys: [nfe.key], cnpjs: [issuer.cnpj, target.payer.cnpj] },
      }
    }),
  )
}

function toDocument(
  issuer: Company,
  sale: { date: Date; payer: Payer; number: number },
  random: SeededRandom,
): NfeDocument {
  const day = toDay(sale.date)
  const key = toNfeKey({
    state: random.pick(['35', '43', '42', '31']),
    month: day.slice(0, 7),
    cnpj: issuer.cnpj,
    series: random.integer(1, 3),
    number: sale.number,
    nonce: random.digits(8),
  })
  return {
    key,
    issuer,
    recipient: sale.payer,
    number: sale.number,
    issuedAt: `${day}T08:00:00-03:00`,
    item: issuer.item,
    amount: issuer.amount + random.integer(0, 99_999),
    due: toDay(sale.date, 28),
  }
}

// Without the key in its text, the DANFE carries it.
function toMail(nfe: NfeDocument, turn: number): MailParts {
  const hasKey = turn % 3 !== 0
  return { text: toText(nfe, hasKey), attachments: toFiles(nfe, !hasKey || turn % 2 === 0) }
}

function toText(nfe: NfeDocument, hasKey: boolean): string {
  return [
    'Prezados,',
    '',
    `Informamos a emissão da NF-e ${nfe.number}, no valor de ${formatReais(nfe.amount)}.`,
    ...(hasKey ? [`Chave de acesso: ${formatNfeKey(nfe.key)}`] : []),
    `Emitente: ${nfe.issuer.name}, CNPJ ${formatCnpj(nfe.issuer.cnpj)}`,
    `Destinatário: ${nfe.recipient.name}, CNPJ ${formatCnpj(nfe.recipient.cnpj)}`,
    `Vencimento da duplicata: ${formatDay(nfe.due)}`,
    '',
    'O XML autorizado segue em anexo. Guarde-o por cinco anos.',
    '',
  ].join('\n')
}

function toFiles(nfe: NfeDocument, hasDanfe: boolean) {
  const xml = { filename: `${nfe.key}-nfe.xml`, contentType: 'application/xml', content: toNfeXml(nfe) }
  if (!hasDanfe) return [xml]
  const lines = [
    'Documento Auxiliar da Nota Fiscal Eletrônica',
    `Número: ${nfe.number}`,
    `Emitente: ${nfe.issuer.name}`,
    `CNPJ: ${formatCnpj(nfe.issuer.cnpj)}`,
    `Valor total: ${formatReais(nfe.amount)}`,
    `Chave de acesso: ${formatNfeKey(nfe.key)}`,
  ]
  const danfe = {
    filename: `DANFE-${nfe.number}.pdf`,
    contentType: 'application/pdf',
    content: toPdf('DANFE', lines),
  }
  return [xml, danfe]
}
