import { toDay } from '../brazilian-text.ts'
import { toHtmlPage } from '../compose/html-page.ts'
import type { MessageDraft } from '../compose/message-draft.ts'
import { parseTable } from '../parse-table.ts'
import { months, toMoment } from '../schedule.ts'
import type { SeededRandom } from '../seeded-random.ts'

// name | mailbox | language | what | price
const vendors = parseTable(`
  Brightdesk Inc.   | invoices@brightdesk.test | en | Team plan, 12 seats | US$ 348.00
  Nube Andina S.A.S | facturas@nubeandina.test | es | Respaldo mensual    | US$ 60.00
`)

/** Software from abroad, paid by card: English and Spanish, HTML only. */
export function createForeignInvoiceDrafts(inbox: string, random: SeededRandom): MessageDraft[] {
  return months.flatMap((month, turn) =>
    vendors.map((row, index) => {
      const [name = '', address = '', language, what = '', price = ''] = row
      const date = toMoment(month, 2 + index * 9, random)
      const number = `INV-${2026}${turn + 8}${random.digits(4)}`
      const isSpanish = language === 'es'
      const title = isSpanish ? `Factura ${number}` : `Invoice ${number}`
      const html = toHtmlPage({
        title,
        paragraphs: [
          isSpanish
            ? 'Gracias por su pago. No es necesario que haga nada más.'
            : 'Thanks for your payment. Nothing else is needed from you.',
        ],
        rows: [
          [isSpanish ? 'Concepto' : 'Description', what],
          ['Total', price],
          [isSpanish ? 'Fecha' : 'Date', toDay(date)],
        ],
        footer: isSpanish ? `${name}, Bogotá` : `${name} · Manage your subscription in the account page`,
      })
      return {
        kind: 'exterior',
        inbox,
        from: { name, address },
        date,
        subject: isSpanish ? `Su factura ${number}` : `Your receipt from ${name} #${number}`,
        mail: { html },
      }
    }),
  )
}
