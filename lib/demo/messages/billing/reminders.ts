import { formatDay, formatReais, toDay } from '../brazilian-text.ts'
import { formatBoletoLine, toBoletoLine } from '../codes/boleto-line.ts'
import { formatCpf, toCpf } from '../codes/cpf.ts'
import { toFreeField } from '../codes/free-field.ts'
import { boletoSuppliers, type Company } from '../companies.ts'
import type { MessageDraft } from '../compose/message-draft.ts'
import { type OldCharsetMail, toOldCharsetMail } from '../compose/old-charset-mail.ts'
import { toAnyMoment } from '../schedule.ts'
import type { SeededRandom } from '../seeded-random.ts'

/** Dunning letters out of old systems: Latin-1 and Windows-1252, in every transfer encoding. */
export function createReminderDrafts(inbox: string, random: SeededRandom): MessageDraft[] {
  return Array.from({ length: 14 }, (_, index) => {
    const supplier = boletoSuppliers[(index * 3) % boletoSuppliers.length] as Company
    const date = toAnyMoment(random)
    const amount = supplier.amount + random.integer(0, 9_999)
    const due = toDay(date, -random.integer(3, 40))
    const freeField = toFreeField(supplier.account, 70_000 + index * 7)
    const line = toBoletoLine({ bank: supplier.account.bank, freeField, amount, due })
    const cpf = toCpf(random.digits(9))
    const letter = { supplier, amount, due, line, cpf, days: random.integer(3, 9) }
    const from = { name: supplier.name, address: supplier.mailbox }
    const subject = subjects[index % subjects.length] ?? 'Cobrança'
    const style = styles[index % styles.length] ?? { charset: 'iso-8859-1', transfer: '8bit' }
    return {
      kind: 'lembrete',
      inbox,
      from,
      date,
      subject,
      raw: toOldCharsetMail({
        from,
        to: inbox,
        date,
        subject,
        text: toText(letter, style.charset),
        ...style,
      }),
      codes: { boletos: [line], cpfs: [cpf] },
    }
  })
}

const styles: Pick<OldCharsetMail, 'charset' | 'transfer'>[] = [
  { charset: 'iso-8859-1', transfer: 'quoted-printable' },
  { charset: 'windows-1252', transfer: 'quoted-printable' },
  { charset: 'iso-8859-1', transfer: '8bit' },
  { charset: 'windows-1252', transfer: 'base64' },
]

const subjects = [
  'Lembrete: título em aberto',
  'Não identificamos o seu pagamento',
  'AVISO DE COBRANÇA - 2ª via do boleto',
  'Última notificação antes da negativação',
  'Regularize sua situação até sexta-feira',
]

interface Letter {
  supplier: Company
  amount: number
  due: string
  line: string
  cpf: string
  days: number
}

function toText(letter: Letter, charset: OldCharsetMail['charset']): string {
  const closing =
    charset === 'windows-1252'
      ? 'Conte conosco — nossa “Central de Negociação” atende das 8h às 18h…'
      : 'Conte conosco: nossa Central de Negociação atende das 8h às 18h.'
  return [
    'Prezado(a) responsável financeiro,',
    '',
    `Até o momento não localizamos o pagamento de ${formatReais(letter.amount)},`,
    `vencido em ${formatDay(letter.due)}, referente a ${letter.supplier.item}.`,
    '',
    `Responsável cadastrado: CPF ${formatCpf(letter.cpf)}`,
    'Segunda via para pagamento:',
    formatBoletoLine(letter.line),
    '',
    `Após ${letter.days} dias úteis o título poderá ser enviado a protesto.`,
    closing,
    '',
    letter.supplier.name,
    '',
  ].join('\n')
}
