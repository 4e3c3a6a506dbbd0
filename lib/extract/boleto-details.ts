import { z } from 'zod'

export const boletoDetails = z.object({
  type: z.enum(['bank', 'collection']).meta({
    description: 'bank: issued by a bank (47 digits); collection: utilities, taxes and the like (48 digits)',
  }),
  barcode: z.string().meta({ description: 'The 44 digits of the barcode' }),
  amount: z.string().nullable().meta({ description: 'In BRL, as 1234.56; null when it is left open' }),
  currency: z.literal('BRL'),
  due_date: z.string().nullable().meta({ description: 'YYYY-MM-DD; null when the line does not carry one' }),
  bank_code: z
    .string()
    .nullable()
    .meta({ description: 'Three digits of the issuing bank; null on collection' }),
  segment: z
    .enum([
      'city_hall',
      'sanitation',
      'energy_gas',
      'telecommunications',
      'government',
      'company',
      'traffic_fine',
      'bank_exclusive',
    ])
    .nullable()
    .meta({ description: 'What a collection line is for; null on bank lines' }),
  company: z.string().nullable().meta({
    description:
      'Who collects: a FEBRABAN number of 4 digits, or the first 8 of a CNPJ when segment is company',
  }),
})

/** What a boleto's line says, decoded. */
export type BoletoDetails = z.infer<typeof boletoDetails>
