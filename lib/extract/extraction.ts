import { z } from 'zod'
import { amountDetails } from './amount.ts'
import { boletoDetails } from './boleto-details.ts'
import { cnpjDetails } from './cnpj.ts'
import { cpfDetails } from './cpf.ts'
import { dateDetails } from './date.ts'
import { linkDetails } from './link.ts'
import { nfeKeyDetails } from './nfe-key.ts'
import { oneTimeCodeDetails } from './one-time-code.ts'
import { pixDetails } from './pix-details.ts'

/** Where a value was found first. */
export const foundIn = z.object({
  source: z.enum(['text', 'html', 'attachment']),
  attachment_id: z.string().optional(),
  offset: z.int().meta({ description: 'Position in the source: of HTML, in its markup' }),
  length: z.int().meta({ description: 'How many characters of the source it takes' }),
  excerpt: z.string().optional().meta({ description: 'The words around it, as they are read' }),
})

export type FoundIn = z.infer<typeof foundIn>

/** What each kind of extraction says about its value. */
export const extractionDetails = {
  boleto: boletoDetails,
  pix: pixDetails,
  nfe_key: nfeKeyDetails,
  cnpj: cnpjDetails,
  cpf: cpfDetails,
  amount: amountDetails,
  date: dateDetails,
  link: linkDetails,
  one_time_code: oneTimeCodeDetails,
} as const

export type ExtractionKind = keyof typeof extractionDetails

/** Every kind, in the order in which extractions are given. */
export const extractionKinds = [
  'boleto',
  'pix',
  'nfe_key',
  'cnpj',
  'cpf',
  'amount',
  'date',
  'link',
  'one_time_code',
] as const satisfies readonly ExtractionKind[]

type Details<Kind extends ExtractionKind> = z.infer<(typeof extractionDetails)[Kind]>

export interface ExtractionOf<Kind extends ExtractionKind> {
  readonly kind: Kind
  /** In its canonical form: what makes two of a kind the same. */
  readonly value: string
  readonly details: Details<Kind>
  readonly found: FoundIn
}

/** One thing that a message says and that proves itself. */
export type Extraction = { [Kind in ExtractionKind]: ExtractionOf<Kind> }[ExtractionKind]
