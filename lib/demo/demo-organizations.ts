import type { Role, SenderPolicy } from '../database/tables.ts'
import { demoAddresses } from './messages/inboxes.ts'

export interface DemoInbox {
  address: string
  name: string
  description: string
  policy: SenderPolicy
  /** Who may send where the policy is `allowlist`: addresses and `@domain`s. */
  allowed: readonly string[]
}

export interface DemoWorkspace {
  name: string
  members: Readonly<Record<string, Role>>
  inboxes: readonly DemoInbox[]
}

export interface DemoOrganization {
  name: string
  people: Readonly<Record<string, string>>
  workspaces: readonly DemoWorkspace[]
}

const anyone = { policy: 'anyone', allowed: [] } as const

/** Who is in the demo and where mail arrives, before any mail has. */
export const demoOrganizations: readonly DemoOrganization[] = [
  {
    name: 'Acme',
    people: {
      'ana@acme.test': 'Ana Moraes',
      'bia@acme.test': 'Bia Campos',
      'bruno@acme.test': 'Bruno Salles',
      'vera@acme.test': 'Vera Lins',
    },
    workspaces: [
      {
        name: 'Billing',
        members: {
          'ana@acme.test': 'admin',
          'bia@acme.test': 'admin',
          'bruno@acme.test': 'operator',
          'vera@acme.test': 'viewer',
        },
        inboxes: [
          {
            address: demoAddresses.invoices,
            name: 'Faturas',
            description: 'Invoices, boletos and utility bills of suppliers',
            ...anyone,
          },
          {
            address: demoAddresses.dunning,
            name: 'Cobrança',
            description: 'PIX charges, reminders, bank statements and what people write',
            ...anyone,
          },
          {
            address: demoAddresses.fiscal,
            name: 'Fiscal',
            description: 'NF-e of known issuers only',
            policy: 'allowlist',
            allowed: [
              '@serraazul.test',
              '@eletropampa.test',
              'fiscal@litoralembalagens.test',
              '@plasticosguara.test',
              'faturamento@quimicabandeira.test',
              '@paubrasiltextil.test',
              'notas@jequitiba.test',
            ],
          },
        ],
      },
      {
        name: 'Support',
        members: { 'ana@acme.test': 'admin', 'vera@acme.test': 'viewer' },
        inboxes: [
          {
            address: demoAddresses.support,
            name: 'Suporte',
            description: 'What customers write',
            ...anyone,
          },
          {
            address: demoAddresses.partners,
            name: 'Parceiros',
            description: 'Partners only',
            policy: 'allowlist',
            allowed: ['@parceiro-norte.test', '@integrasul.test'],
          },
        ],
      },
    ],
  },
  {
    name: 'Globex',
    people: { 'leo@globex.test': 'Leo Duarte' },
    workspaces: [
      {
        name: 'Main',
        members: { 'leo@globex.test': 'admin' },
        inboxes: [
          {
            address: demoAddresses.payables,
            name: 'Contas a pagar',
            description: 'Invoices of suppliers',
            ...anyone,
          },
          {
            address: demoAddresses.contact,
            name: 'Contato',
            description: 'Everything else',
            ...anyone,
          },
        ],
      },
    ],
  },
]
