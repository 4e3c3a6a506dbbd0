import { formatReais } from '../brazilian-text.ts'
import { formatBoletoLine, toBoletoLine } from '../codes/boleto-line.ts'
import { toFreeField } from '../codes/free-field.ts'
import { boletoSuppliers, type Company } from '../companies.ts'
import type { MessageDraft } from '../compose/message-draft.ts'
import { toAnyMoment } from '../schedule.ts'
import type { SeededRandom } from '../seeded-random.ts'

interface OddTerms {
  subject: string
  text: string
  amount: number
  due: string | null
}

/**
 * Boletos at the edges of the rules: either side of the rollover of the due-date factor (22 February 2025),
 * without a due date, without an amount; and one line with a mistyped digit, which proves nothing.
 */
export function createOddBoletoDrafts(inbox: string, random: SeededRandom): MessageDraft[] {
  const supplier = boletoSuppliers[0] as Company
  const from = { name: supplier.name, address: supplier.mailbox }
  const toDraft = (odd: OddTerms, index: number): MessageDraft => {
    const freeField = toFreeField(supplier.account, 90_001 + index)
    const line = toBoletoLine({ bank: supplier.account.bank, freeField, amount: odd.amount, due: odd.due })
    const shown = odd === mistyped ? toMistyped(line) : line
    return {
      kind: 'boleto-raro',
      inbox,
      from,
      date: toAnyMoment(random),
      subject: odd.subject,
      mail: { text: `${odd.text}\n\n${formatBoletoLine(shown)}\n\n${supplier.name}\n` },
      codes: { boletos: odd === mistyped ? [] : [line] },
    }
  }
  return [...terms, mistyped].map(toDraft)
}

// One digit off inside the second field: its modulus 10 digit no longer fits.
function toMistyped(line: string): string {
  return line.slice(0, 14) + ((Number(line[14]) + 1) % 10) + line.slice(15)
}

const terms: readonly OddTerms[] = [
  {
    subject: 'Título antigo em aberto (vencido em 21/02/2025)',
    text: 'Este título venceu no último dia da contagem antiga do fator de vencimento.',
    amount: 48_990,
    due: '2025-02-21',
  },
  {
    subject: 'Título antigo em aberto (vencido em 22/02/2025)',
    text: 'Este título venceu no primeiro dia da contagem nova do fator de vencimento.',
    amount: 48_990,
    due: '2025-02-22',
  },
  {
    subject: 'Acordo parcelado: última parcela em 2030',
    text: `Conforme o acordo, a última parcela é de ${formatReais(250_000)}.`,
    amount: 250_000,
    due: '2030-12-15',
  },
  {
    subject: 'Boleto contra apresentação',
    text: 'Pagável a qualquer momento, sem data de vencimento.',
    amount: 12_345,
    due: null,
  },
  {
    subject: 'Doação: escolha o valor',
    text: 'O valor fica a seu critério.',
    amount: 0,
    due: '2026-12-20',
  },
]

const mistyped: OddTerms = {
  subject: 'Linha digitada à mão',
  text: 'Copiei a linha do papel, espero não ter errado nenhum número:',
  amount: 77_700,
  due: '2026-11-30',
}
