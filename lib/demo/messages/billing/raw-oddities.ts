import type { MessageDraft } from '../compose/message-draft.ts'
import { toOldCharsetMail } from '../compose/old-charset-mail.ts'
import { toBase64Body, toMailDate, toMultipartBody, toRawMessage } from '../compose/raw-message.ts'
import { toPdf } from '../files/pdf.ts'
import { toAnyMoment } from '../schedule.ts'
import type { SeededRandom } from '../seeded-random.ts'

/** What no well-behaved library writes: Japanese mail, split file names, lost boundaries, no Date, a bounce. */
export function createRawOddityDrafts(inbox: string, random: SeededRandom): MessageDraft[] {
  return [
    toJapanese(inbox, toAnyMoment(random), '7bit'),
    toJapanese(inbox, toAnyMoment(random), 'base64'),
    toContinuedName(inbox, toAnyMoment(random)),
    toUnclosed(inbox, toAnyMoment(random)),
    toUndated(inbox, toAnyMoment(random)),
    toBounce(inbox, toAnyMoment(random)),
  ]
}

function toJapanese(inbox: string, date: Date, transfer: '7bit' | 'base64'): MessageDraft {
  const from = { name: '田中製作所', address: 'keiri@tanaka-seisakusho.test' }
  const subject = transfer === '7bit' ? '請求書の送付について' : 'お見積書の件'
  const text = [
    'アクメ株式会社 御中',
    '',
    'いつもお世話になっております。',
    '今月分の請求書をお送りいたします。',
    'ご請求金額: USD 1,250.00',
    '',
    '田中製作所 経理部',
    '',
  ].join('\n')
  const raw = toOldCharsetMail({ from, to: inbox, date, subject, text, charset: 'iso-2022-jp', transfer })
  return { kind: 'japones', inbox, from, date, subject, raw }
}

// RFC 2231: one name in three pieces, the first two percent-encoded.
function toContinuedName(inbox: string, date: Date): MessageDraft {
  const from = { name: 'Grafica Aurora', address: 'financeiro@graficaaurora.test' }
  const subject = 'Arquivos do catalogo'
  const pdf = toPdf('Catálogo', ['Prova de impressão, 48 páginas.'])
  const note = toRawMessage([['Content-Type', 'text/plain; charset=us-ascii']], 'Segue a prova em anexo.\n')
  const file = toRawMessage(
    [
      ['Content-Type', 'application/pdf'],
      [
        'Content-Disposition',
        'attachment;\r\n filename*0*=utf-8\'\'prova%20de%20impress%C3%A3o;\r\n filename*1*=%20do%20cat%C3%A1logo;\r\n filename*2=".pdf"',
      ],
      ['Content-Transfer-Encoding', 'base64'],
    ],
    toBase64Body(pdf),
  )
  return {
    kind: 'nome-continuado',
    inbox,
    from,
    date,
    subject,
    raw: id =>
      toRawMessage(
        headers({ from, inbox, date, subject, id }, 'multipart/mixed; boundary="prova"'),
        toMultipartBody('prova', [note, file]),
      ),
  }
}

// The closing boundary never comes: what was read so far is the message.
function toUnclosed(inbox: string, date: Date): MessageDraft {
  const from = { name: 'Motoboy Ja', address: 'financeiro@motoboyja.test' }
  const subject = 'Relatorio de entregas (enviado pelo celular)'
  const body = '--corte\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nForam 42 entregas na quinzena.\r\n'
  return {
    kind: 'sem-fecho',
    inbox,
    from,
    date,
    subject,
    raw: id =>
      toRawMessage(headers({ from, inbox, date, subject, id }, 'multipart/mixed; boundary=corte'), body),
  }
}

function toUndated(inbox: string, date: Date): MessageDraft {
  const from = { name: 'Alarme', address: 'painel@atalaia.test' }
  const subject = 'Evento no painel 3'
  return {
    kind: 'sem-data',
    inbox,
    from,
    date,
    subject,
    raw: id =>
      toRawMessage(
        headers({ from, inbox, date, subject, id }, 'text/plain').filter(([name]) => name !== 'Date'),
        'Porta do almoxarifado aberta por mais de 5 minutos.\n',
      ),
  }
}

// RFC 3464, from the empty reverse path.
function toBounce(inbox: string, date: Date): MessageDraft {
  const from = { name: 'Mail Delivery System', address: 'MAILER-DAEMON@mx.acme.test' }
  const subject = 'Undelivered Mail Returned to Sender'
  const note = toRawMessage(
    [['Content-Type', 'text/plain']],
    'The mailbox of <rui@rotanorte.test> is full.\n',
  )
  const status = toRawMessage(
    [['Content-Type', 'message/delivery-status']],
    'Reporting-MTA: dns; mx.acme.test\n\nFinal-Recipient: rfc822; rui@rotanorte.test\nAction: failed\nStatus: 5.2.2\n',
  )
  return {
    kind: 'devolucao',
    inbox,
    from,
    date,
    subject,
    raw: id =>
      toRawMessage(
        headers(
          { from, inbox, date, subject, id },
          'multipart/report; report-type=delivery-status; boundary="dsn"',
        ),
        toMultipartBody('dsn', [note, status]),
      ),
  }
}

interface Envelope {
  from: MessageDraft['from']
  inbox: string
  date: Date
  subject: string
  id: string
}

function headers({ from, inbox, date, subject, id }: Envelope, contentType: string): [string, string][] {
  return [
    ['From', `${from.name} <${from.address}>`],
    ['To', inbox],
    ['Subject', subject],
    ['Date', toMailDate(date)],
    ['Message-ID', id],
    ['MIME-Version', '1.0'],
    ['Content-Type', contentType],
  ]
}
