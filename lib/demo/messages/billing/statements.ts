import { formatDay, formatReais, toDay } from '../brazilian-text.ts'
import type { MessageDraft } from '../compose/message-draft.ts'
import { toPdf } from '../files/pdf.ts'
import { months, toAnyMoment, toMoment } from '../schedule.ts'
import type { SeededRandom } from '../seeded-random.ts'

const bank = { name: 'Banco Mandacaru', address: 'extratos@bancomandacaru.test' }
const monthNames = ['agosto', 'setembro', 'outubro', 'novembro']

/** What a bank sends: a monthly statement as CSV, and receipts of payments. */
export function createStatementDrafts(inbox: string, random: SeededRandom): MessageDraft[] {
  return [...createStatements(inbox, random), ...createReceipts(inbox, random)]
}

function createStatements(inbox: string, random: SeededRandom): MessageDraft[] {
  return months.map((month, index) => {
    const name = monthNames[index] ?? month
    return {
      kind: 'extrato',
      inbox,
      from: bank,
      date: toMoment(month, 26, random),
      subject: `Extrato de ${name} de 2026 disponível`,
      mail: {
        text: `Olá,\n\nO extrato de ${name} está anexado em CSV, pronto para a conciliação.\n\n${bank.name}\n`,
        attachments: [
          {
            // The accent makes the composing library write an RFC 2231 name.
            filename: `conciliação-${name}.csv`,
            contentType: 'text/csv',
            content: toCsv(month, random),
          },
        ],
      },
    }
  })
}

function toCsv(month: string, random: SeededRandom): string {
  const rows = Array.from({ length: 18 }, (_, index) => {
    const day = `${month}-${String(index + 3).padStart(2, '0')}`
    const kind = random.pick(['PIX recebido', 'Boleto pago', 'Tarifa', 'TED enviada'])
    return `${formatDay(day)};${kind};${(random.integer(-900_000, 900_000) / 100).toFixed(2).replace('.', ',')}`
  })
  return ['data;histórico;valor', ...rows, ''].join('\r\n')
}

function createReceipts(inbox: string, random: SeededRandom): MessageDraft[] {
  return Array.from({ length: 8 }, (_, index) => {
    const date = toAnyMoment(random)
    const amount = formatReais(random.integer(10_000, 2_000_000))
    const authentication = random.digits(16)
    const lines = [
      `Valor: ${amount}`,
      `Data: ${formatDay(toDay(date))}`,
      `Autenticação: ${authentication}`,
      'Documento sem valor fiscal.',
    ]
    return {
      kind: 'comprovante',
      inbox,
      from: bank,
      date,
      subject: `Comprovante de pagamento - ${amount}`,
      mail: {
        text: `Pagamento realizado com sucesso.\n\n${lines.join('\n')}\n`,
        ...(index % 2 === 0
          ? {
              attachments: [
                {
                  filename: `comprovante-${authentication}.pdf`,
                  contentType: 'application/pdf',
                  content: toPdf('Comprovante', lines),
                },
              ],
            }
          : {}),
      },
    }
  })
}
