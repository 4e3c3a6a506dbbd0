import type { MessageDraft } from './compose/message-draft.ts'
import { toMailDate, toMultipartBody, toRawMessage } from './compose/raw-message.ts'
import { toAnyMoment } from './schedule.ts'
import type { SeededRandom } from './seeded-random.ts'

/** Messages that no mail program makes, only somebody who wants to exhaust a parser: the worker refuses them. */
export function createBrokenDrafts(inbox: string, count: number, random: SeededRandom): MessageDraft[] {
  return Array.from({ length: count }, (_, index) => {
    const isDeep = index % 2 === 0
    const from = { name: 'Remetente', address: `envio${index + 1}@remetente-estranho.test` }
    const date = toAnyMoment(random)
    const subject = isDeep
      ? `Documento ${index + 1} (partes dentro de partes)`
      : `Lote ${index + 1} com milhares de partes`
    return {
      kind: isDeep ? 'profunda' : 'fragmentada',
      inbox,
      from,
      date,
      subject,
      outcome: 'failed',
      raw: messageId =>
        toRawMessage(
          [
            ['From', `${from.name} <${from.address}>`],
            ['To', inbox],
            ['Subject', subject],
            ['Date', toMailDate(date)],
            ['Message-ID', messageId],
            ['MIME-Version', '1.0'],
            ['Content-Type', 'multipart/mixed; boundary="n0"'],
          ],
          isDeep ? toNested(400) : toMany(6_000),
        ),
    }
  })
}

// Each level is a multipart with one part; nothing closes them.
function toNested(depth: number): string {
  const levels = Array.from(
    { length: depth },
    (_, level) => `--n${level}\r\nContent-Type: multipart/mixed; boundary="n${level + 1}"\r\n\r\n`,
  )
  return `${levels.join('')}--n${depth}\r\nContent-Type: text/plain\r\n\r\nfundo\r\n`
}

function toMany(count: number): Buffer {
  const part = toRawMessage([['Content-Type', 'text/plain']], 'x\n')
  return toMultipartBody('n0', Array<Buffer>(count).fill(part))
}
