import { z } from 'zod'
import { isCnpj } from '../extract/cnpj-digits.ts'
import { isCpf } from '../extract/cpf-digits.ts'

const address = z
  .string()
  .trim()
  .toLowerCase()
  .max(320)
  .refine(
    text => /^[^\s@]+@[^\s@]+$/.test(text) && !/[\p{Cc}\p{Cs}]/u.test(text),
    'must be an e-mail address',
  )
  .describe('An e-mail address, compared as a whole and without case.')

const document = z
  .string()
  .max(30)
  .refine(text => toDocument(text) !== null, 'must be a CPF or a CNPJ with right check digits')
  .describe('A CPF or CNPJ, with or without its dots: what was extracted from e-mails, kinds cpf and cnpj.')

/** Whose data it is, as a request names it: one of the two. */
export const subjectMembers = { address: address.optional(), document: document.optional() }

/** For schemas with `subjectMembers`. */
export function hasOneSubject(given: {
  address?: string | undefined
  document?: string | undefined
}): boolean {
  return (given.address === undefined) !== (given.document === undefined)
}

export const oneSubject = { message: 'give either address or document', path: ['address'] }

/** Whose data is meant: a person's or company's address, or the 11 or 14 characters of a CPF or CNPJ. */
export interface Subject {
  readonly kind: 'address' | 'document'
  readonly value: string
}

/** Of what `hasOneSubject` accepts. */
export function toSubject(given: { address?: string | undefined; document?: string | undefined }): Subject {
  if (given.address !== undefined) return { kind: 'address', value: given.address }
  return { kind: 'document', value: toDocument(given.document ?? '') ?? '' }
}

function toDocument(text: string): string | null {
  const characters = text.replaceAll(/[\s./-]/g, '').toUpperCase()
  return isCpf(characters) || isCnpj(characters) ? characters : null
}
