import type { DemoMessage } from './messages/demo-message.ts'

// What no rule of the demo knows; the other labels are the rules' to give.
const labels: Record<string, string> = { arrecadacao: 'contas', exterior: 'exterior' }

const payable = new Set(['boleto', 'boleto-raro', 'arrecadacao', 'pix'])

// As if people had worked through their mail until then.
const readUntil = Date.parse('2026-11-09T00:00:00Z')
const paidUntil = Date.parse('2026-10-15T00:00:00Z')

/** The labels that people gave a demo message, and whether somebody has read it. */
export function toMarks({ key, date, outcome }: DemoMessage): { labels: string[]; read: boolean } {
  if (outcome !== 'processed') return { labels: [], read: false }
  const kind = key.replace(/^\w+\/\d+-/, '')
  const label = labels[kind]
  const isPaid = payable.has(kind) && date.getTime() < paidUntil
  return {
    labels: [...(label ? [label] : []), ...(isPaid ? ['pago'] : [])],
    read: date.getTime() < readUntil,
  }
}
