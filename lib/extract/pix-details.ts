import { z } from 'zod'

export const pixDetails = z.object({
  type: z.enum(['static', 'dynamic', 'recurrence']).meta({
    description:
      'static: pays to a key; dynamic: the charge is behind an address; recurrence: only authorizes Pix Automático',
  }),
  key: z.string().nullable().meta({ description: 'The Pix key of a static code' }),
  key_type: z.enum(['cpf', 'cnpj', 'email', 'phone', 'random']).nullable(),
  url: z
    .string()
    .nullable()
    .meta({ description: 'The address of a dynamic charge, as printed, without https://' }),
  recurrence_url: z
    .string()
    .nullable()
    .meta({ description: 'The address of a Pix Automático authorization' }),
  amount: z.string().nullable().meta({ description: 'In BRL, as 1234.56; null when it is left open' }),
  currency: z.literal('BRL'),
  merchant_name: z.string(),
  merchant_city: z.string(),
  postal_code: z.string().nullable(),
  txid: z.string().nullable(),
  description: z.string().nullable(),
  single_use: z.boolean().meta({ description: 'Whether the code says that it is paid once only' }),
})

/** What a Pix copy-and-paste code says, decoded. */
export type PixDetails = z.infer<typeof pixDetails>
