import { createBoletoDrafts } from './billing/boletos.ts'
import { createCollectionDrafts } from './billing/collections.ts'
import { createConversationDrafts } from './billing/conversations.ts'
import { createForeignInvoiceDrafts } from './billing/foreign-invoices.ts'
import { createInjectionDrafts } from './billing/injections.ts'
import { createNfeDrafts } from './billing/nfe-mails.ts'
import { createOddBoletoDrafts } from './billing/odd-boletos.ts'
import { createOddityDrafts } from './billing/oddities.ts'
import { createPixDrafts } from './billing/pix-charges.ts'
import { createRawOddityDrafts } from './billing/raw-oddities.ts'
import { createRefusedDrafts } from './billing/refused.ts'
import { createReminderDrafts } from './billing/reminders.ts'
import { createStatementDrafts } from './billing/statements.ts'
import { createBrokenDrafts } from './broken.ts'
import { acme, boletoSuppliers, globex, nfeIssuers, pixProviders } from './companies.ts'
import { composeMessage } from './compose/compose-message.ts'
import type { MessageDraft } from './compose/message-draft.ts'
import type { DemoMessage, MessageCodes } from './demo-message.ts'
import { demoAddresses } from './inboxes.ts'
import { createSeededRandom, type SeededRandom } from './seeded-random.ts'
import { createPartnerDrafts, createSupportDrafts } from './support.ts'

/** Every message of the demo, oldest first: the same bytes on every call and every machine. */
export async function createDemoMessages(): Promise<DemoMessage[]> {
  const messages: DemoMessage[] = []
  for (const [workspace, toDrafts] of Object.entries(workspaces)) {
    messages.push(...(await toMessages(workspace, toDrafts(createSeededRandom(workspace)))))
  }
  return messages.sort((a, b) => a.date.getTime() - b.date.getTime() || (a.key < b.key ? -1 : 1))
}

const workspaces: Record<string, (random: SeededRandom) => MessageDraft[]> = {
  billing: random => [
    ...createBoletoDrafts(
      boletoSuppliers,
      { inbox: demoAddresses.invoices, payer: acme, firstNumber: 4_100 },
      random,
    ),
    ...createCollectionDrafts(demoAddresses.invoices, random),
    ...createForeignInvoiceDrafts(demoAddresses.invoices, random),
    ...createOddityDrafts(demoAddresses.invoices, random),
    ...createRawOddityDrafts(demoAddresses.invoices, random),
    ...createPixDrafts(pixProviders, demoAddresses.dunning, random),
    ...createReminderDrafts(demoAddresses.dunning, random),
    ...createStatementDrafts(demoAddresses.dunning, random),
    ...createConversationDrafts(demoAddresses.dunning, random),
    ...createOddBoletoDrafts(demoAddresses.dunning, random),
    ...createInjectionDrafts(demoAddresses.dunning, random),
    ...createNfeDrafts(nfeIssuers, { inbox: demoAddresses.fiscal, payer: acme, firstNumber: 20_310 }, random),
    ...createRefusedDrafts(demoAddresses.fiscal, random),
    ...createBrokenDrafts(demoAddresses.invoices, 4, random),
  ],
  support: random => [
    ...createSupportDrafts(demoAddresses.support, random),
    ...createPartnerDrafts(demoAddresses.partners, random),
    ...createInjectionDrafts(demoAddresses.support, random),
    ...createBrokenDrafts(demoAddresses.support, 1, random),
  ],
  main: random => [
    ...createBoletoDrafts(
      boletoSuppliers.slice(0, 4),
      { inbox: demoAddresses.payables, payer: globex, firstNumber: 61_500 },
      random,
    ),
    ...createPixDrafts(pixProviders.slice(2, 4), demoAddresses.payables, random),
    ...createNfeDrafts(
      nfeIssuers.slice(3, 4),
      { inbox: demoAddresses.payables, payer: globex, firstNumber: 88_120 },
      random,
    ),
    ...createConversationDrafts(demoAddresses.contact, random).slice(0, 4),
    ...createBrokenDrafts(demoAddresses.contact, 1, random),
  ],
}

async function toMessages(workspace: string, drafts: MessageDraft[]): Promise<DemoMessage[]> {
  const taken = new Set<number>()
  const dated = drafts.map(draft => ({ ...draft, date: toFreeSecond(draft.date, taken) }))
  return Promise.all(
    dated.map((draft, index) => toMessage(`${workspace}/${toNumber(index)}-${draft.kind}`, draft)),
  )
}

async function toMessage(key: string, draft: MessageDraft): Promise<DemoMessage> {
  return {
    key,
    inbox: draft.inbox,
    envelopeFrom: draft.from.address,
    date: draft.date,
    raw: await composeMessage(key, draft),
    outcome: draft.outcome ?? 'processed',
    codes: { ...noCodes(), ...draft.codes },
  }
}

// No two messages of a workspace share a second, so that their order in lists never depends on ids.
function toFreeSecond(date: Date, taken: Set<number>): Date {
  let time = date.getTime()
  while (taken.has(time)) time += 1000
  taken.add(time)
  return new Date(time)
}

function toNumber(index: number): string {
  return String(index + 1).padStart(3, '0')
}

function noCodes(): MessageCodes {
  return { boletos: [], pix: [], nfeKeys: [], cnpjs: [], cpfs: [] }
}
