import { isCnpj } from './cnpj-digits.ts'
import { isCpf } from './cpf-digits.ts'
import type { PixDetails } from './pix-details.ts'

const RANDOM = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const PHONE = /^\+[1-9]\d{9,13}$/
const EMAIL = /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+$/

/** What kind of key this is (DICT), or null if it can be none. */
export function toPixKeyType(key: string): PixDetails['key_type'] {
  if (RANDOM.test(key)) return 'random'
  if (isCpf(key)) return 'cpf'
  if (isCnpj(key)) return 'cnpj'
  if (PHONE.test(key)) return 'phone'
  return key.length <= 77 && EMAIL.test(key) ? 'email' : null
}
