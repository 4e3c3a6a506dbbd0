import type { DemoMessage } from './messages/demo-message.ts'

const labels: Record<string, string> = {
  boleto: 'boleto',
  'boleto-raro': 'boleto',
  arrecadacao: 'contas',
  pix: 'pix',
  nfe: 'nota-fiscal',
  lembrete: 'cobranca',
  exterior: 'exterior',
  chamado: 'atendimento',
}

// As if people had worked through their mail until then.
const readUntil = Date.parse('2026-11-09T00:00:00Z')
const paidUntil = Date.parse('2026-10-15T00:00:00Z')

/** The labels of a demo message, and whether somebody has read it. */
export function toMarks({ key, date, outcome }: DemoMessage): { labels: string[]; read: boolean } {
  if (outcome !== 'processed') return { labels: [], read: false }
  const label = labels[key.replace(/^\w+\/\d+-/, '')]
  const isPaid = label === 'boleto' || label === 'contas' || label === 'pix'
  return {
    labels: [...(label ? [label] : []), ...(isPaid && date.getTime() < paidUntil ? ['pago'] : [])],
    read: date.getTime() < readUntil,
  }
}
