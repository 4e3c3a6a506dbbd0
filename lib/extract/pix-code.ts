import { toDecimal } from './cents.ts'
import { toCrc16 } from './crc16.ts'
import { parseEmvFields } from './emv-fields.ts'
import type { PixDetails } from './pix-details.ts'
import { toPixKeyType } from './pix-key.ts'

type Fields = Map<string, string>

const GUI = 'br.gov.bcb.pix'
const ADDRESS = /^(?:https:\/\/)?[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d{1,5})?\/[!-~]+$/i

/**
 * Decodes a whole copy-and-paste code (BACEN, Manual do BR Code and Manual de Padrões para Iniciação do Pix), or
 * null unless structure, checksum and what the manual requires are all right.
 */
export function parsePixCode(code: string): PixDetails | null {
  if (code.slice(-4).toUpperCase() !== toCrc16(code.slice(0, -4))) return null
  const fields = parseEmvFields(code)
  if (!fields || !isBrazilian(fields) || /[\p{Cc}\p{Cs}]/u.test(code)) return null
  const account = findTemplate(fields, 26, 51)
  const recurrence = findTemplate(fields, 80, 99)
  const extra = parseEmvFields(fields.get('62') ?? '')
  const amount = toAmount(fields.get('54'))
  const payee = account && toPayee(account, recurrence?.get('25') ?? null)
  if (!payee || !extra || amount === undefined) return null
  return {
    ...payee,
    amount,
    currency: 'BRL',
    merchant_name: fields.get('59') ?? '',
    merchant_city: fields.get('60') ?? '',
    postal_code: fields.get('61') ?? null,
    txid: toTxid(extra.get('05')),
    description: account.get('02') ?? null,
    single_use: fields.get('01') === '12',
  }
}

// Payload format 01, any category of merchant, BRL, BR, a name, a city, and the checksum last.
function isBrazilian(fields: Fields): boolean {
  const isComplete = /^\d{4}$/.test(fields.get('52') ?? '') && !!fields.get('59') && !!fields.get('60')
  const isHere = fields.get('53') === '986' && fields.get('58') === 'BR'
  return fields.get('00') === '01' && isComplete && isHere && [...fields.keys()].at(-1) === '63'
}

function findTemplate(fields: Fields, first: number, last: number): Fields | null {
  for (const [id, value] of fields) {
    if (Number(id) < first || Number(id) > last) continue
    const template = parseEmvFields(value)
    if (template?.get('00')?.toLowerCase() === GUI) return template
  }
  return null
}

function toPayee(account: Fields, recurrence: string | null) {
  const key = account.get('01') ?? null
  const url = account.get('25') ?? null
  if (recurrence !== null && !ADDRESS.test(recurrence)) return null
  const none = { key: null, key_type: null, url: null, recurrence_url: recurrence }
  if (key !== null) {
    const keyType = toPixKeyType(key)
    return url === null && keyType ? { ...none, type: 'static' as const, key, key_type: keyType } : null
  }
  if (url !== null) return ADDRESS.test(url) ? { ...none, type: 'dynamic' as const, url } : null
  return recurrence === null ? null : { ...none, type: 'recurrence' as const }
}

/** Undefined when it is there but is no amount. */
function toAmount(text: string | undefined): string | null | undefined {
  if (text === undefined) return null
  if (text.length > 13 || !/^\d+(?:\.\d{0,2})?$/.test(text)) return undefined
  const [whole = '', cents = ''] = text.split('.')
  return toDecimal(whole + cents.padEnd(2, '0'))
}

// Three asterisks stand where there is no identifier.
function toTxid(txid: string | undefined): string | null {
  return txid === undefined || txid === '***' ? null : txid
}
