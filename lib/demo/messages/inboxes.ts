/** The addresses that the demo's mail is written to. */
export const demoAddresses = {
  invoices: 'faturas@billing.acme.test',
  dunning: 'cobranca@billing.acme.test',
  fiscal: 'fiscal@billing.acme.test',
  support: 'suporte@support.acme.test',
  partners: 'parceiros@support.acme.test',
  payables: 'contas@globex.test',
  contact: 'contato@globex.test',
} as const
