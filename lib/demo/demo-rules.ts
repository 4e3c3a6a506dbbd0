import type { RuleActions, RuleCondition } from '../rules/schema.ts'
import { toDemoId } from './demo-id.ts'
import { createdAt, toTenant } from './demo-rows.ts'
import { demoAddresses } from './messages/inboxes.ts'

interface DemoRule {
  key: string
  name: string
  description: string
  /** Of few words, so that the demo's rules are read at a glance. */
  conditions: readonly RuleCondition[]
  match: 'all' | 'any'
  actions: RuleActions
  enabled?: false
}

const proves = (value: string): RuleCondition => ({ field: 'extraction', operator: 'equals', value })
const says = (value: string): RuleCondition => ({ field: 'subject', operator: 'contains', value })
const comesFrom = (value: string): RuleCondition => ({ field: 'from', operator: 'ends_with', value })
const arrivesAt = (value: string): RuleCondition => ({ field: 'inbox', operator: 'equals', value })

const boleto: DemoRule = {
  key: 'boleto',
  name: 'Boletos',
  description: 'Labels what has a boleto whose check digits are right.',
  match: 'all',
  conditions: [proves('boleto')],
  actions: { label: ['boleto'] },
}
const nfe: DemoRule = {
  key: 'nfe',
  name: 'Notas fiscais',
  description: 'Labels what has the access key of an NF-e.',
  match: 'all',
  conditions: [proves('nfe_key')],
  actions: { label: ['nota-fiscal'] },
}
const pix: DemoRule = {
  key: 'pix',
  name: 'PIX',
  description: 'Labels what has a PIX code.',
  match: 'all',
  conditions: [proves('pix')],
  actions: { label: ['pix'] },
}

const workspaces: Record<string, readonly DemoRule[]> = {
  Billing: [
    boleto,
    nfe,
    pix,
    {
      key: 'cobranca',
      name: 'Cobranças',
      description: 'Labels reminders of what is overdue.',
      match: 'any',
      conditions: [
        'título em aberto',
        'não identificamos',
        'aviso de cobrança',
        'última notificação',
        'regularize',
      ].map(says),
      actions: { label: ['cobranca'] },
    },
    {
      key: 'grandes-fornecedores',
      name: 'Grandes fornecedores',
      description: 'Tells the ERP when one of the largest suppliers bills.',
      match: 'any',
      conditions: [
        '@rotanorte.test',
        '@serraazul.test',
        '@quimicabandeira.test',
        '@receita-estadual.test',
      ].map(comesFrom),
      actions: { label: ['prioridade'], notify: true },
    },
    {
      key: 'extratos',
      name: 'Extratos',
      description: 'Marks bank statements as read. Switched off since somebody wants to see them.',
      match: 'all',
      conditions: [arrivesAt(demoAddresses.dunning), says('extrato')],
      actions: { label: ['extrato'], mark: 'read' },
      enabled: false,
    },
  ],
  Support: [
    {
      key: 'atendimento',
      name: 'Atendimento',
      description: 'Labels what customers write.',
      match: 'all',
      conditions: [arrivesAt(demoAddresses.support)],
      actions: { label: ['atendimento'] },
    },
  ],
  Main: [boleto, nfe, pix],
}

/** The demo's rules as rows of the database, with ids that never change. */
export const demoRules = Object.entries(workspaces)
  .flatMap(([workspace, rules]) => rules.map((rule, index) => ({ workspace, index, ...rule })))
  .map(
    ({ workspace, index, key, name, description, match, conditions, actions, enabled = true }, position) => ({
      id: toDemoId('rul', { position, name: `${workspace}/${key}` }),
      ...toTenant(workspace),
      key,
      name,
      description,
      enabled,
      priority: (index + 1) * 10,
      match,
      conditions: JSON.stringify(conditions),
      actions: JSON.stringify(actions),
      created_at: createdAt,
      updated_at: createdAt,
    }),
  )
