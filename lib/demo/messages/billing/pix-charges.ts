import { formatReais, toDay } from '../brazilian-text.ts'
import { formatCnpj } from '../codes/cnpj.ts'
import { toPixCode } from '../codes/pix-code.ts'
import type { Company } from '../companies.ts'
import { toHtmlPage } from '../compose/html-page.ts'
import type { MailParts, MessageDraft } from '../compose/message-draft.ts'
import { toPng } from '../files/png.ts'
import { months, toMoment } from '../schedule.ts'
import { createSeededRandom, type SeededRandom } from '../seeded-random.ts'

/** One PIX charge a month of each provider; static keys of every kind, and dynamic ones. */
export function createPixDrafts(
  providers: readonly Company[],
  inbox: string,
  random: SeededRandom,
): MessageDraft[] {
  return months.flatMap((month, turn) =>
    providers.map((provider, index) => {
      const date = toMoment(month, provider.day, random)
      const amount = provider.amount + random.integer(0, 4_999)
      const order = `${toDay(date).replaceAll('-', '')}${index}`
      const code = toPixCode({
        target: toTarget(provider, index + turn, random),
        amount,
        name: toAscii(provider.name).slice(0, 25).trim(),
        city: toAscii(provider.city).toUpperCase().slice(0, 15).trim(),
        txid: (index + turn) % 5 === 4 ? '***' : `PED${order}`,
      })
      return {
        kind: 'pix',
        inbox,
        from: { name: provider.name, address: provider.mailbox },
        date,
        subject: `Cobrança PIX do pedido ${order}: ${formatReais(amount)}`,
        mail: toMail({ provider, order, amount, code }, index + turn),
        codes: { pix: [code], cnpjs: [provider.cnpj] },
      }
    }),
  )
}

interface Charge {
  provider: Company
  order: string
  amount: number
  code: string
}

function toMail(charge: Charge, turn: number): MailParts {
  const { provider, order, amount, code } = charge
  const intro = `Segue a cobrança do pedido ${order} (${provider.item}), no valor de ${formatReais(amount)}.`
  const text = `${intro}\n\nPIX copia e cola:\n\n${code}\n\nO código vale por 30 dias.\n\n-- \n${provider.name}\n`
  if (turn % 3 === 0) return { text }
  const html = toHtmlPage({
    title: 'Pague com PIX',
    paragraphs: [intro, 'Aponte a câmera para o QR Code ou use o código abaixo.'],
    rows: [
      ['Pedido', order],
      ['Valor', formatReais(amount)],
      ['PIX copia e cola', code],
    ],
    image: `qr-${order}@demo`,
    footer: `${provider.name} · CNPJ ${formatCnpj(provider.cnpj)}`,
  })
  const picture = {
    filename: 'qrcode.png',
    cid: `qr-${order}@demo`,
    content: toPicture(order),
    contentType: 'image/png',
  }
  return turn % 3 === 1 ? { html, attachments: [picture] } : { text, html, attachments: [picture] }
}

function toTarget(provider: Company, turn: number, random: SeededRandom): { key: string } | { url: string } {
  const uuid = `${random.digits(8)}-${random.digits(4)}-4${random.digits(3)}-8${random.digits(3)}-${random.digits(12)}`
  const targets = [
    { key: provider.mailbox },
    { key: provider.cnpj },
    { key: uuid },
    { key: `+55119${random.digits(8)}` },
    { url: `pix.banco.test/qr/v2/${uuid}` },
  ]
  return targets[turn % targets.length] ?? { key: provider.mailbox }
}

// A pattern that looks like a QR code; the code itself is in the text.
function toPicture(order: string): Buffer {
  const random = createSeededRandom(order)
  const cells = Array.from({ length: 441 }, () => random.integer(0, 1) === 1)
  return toPng(84, (x, y) => cells[Math.floor(y / 4) * 21 + Math.floor(x / 4)] ?? false)
}

function toAscii(text: string): string {
  return text.normalize('NFD').replace(/[^\x20-\x7e]/g, '')
}
