import { makePdf, toContent } from '../../extract/fixtures/make-pdf.ts'
import { toRaw } from './sample-message.ts'

/** Banco do Brasil's own example: R$ 1,00 due on 31 December 2007. */
export const bankLine = '00190500954014481606906809350314337370000000100'
/** Receita Federal's own example of the alphanumeric form. */
export const cnpj = '12ABC34501DE35'

export interface InvoiceOptions {
  readonly id: string
  readonly from?: string
  readonly subject?: string
  readonly text?: string
  readonly date?: string
  readonly files?: readonly { readonly name: string; readonly type: string; readonly content: Buffer }[]
}

/** A message whose text names a CNPJ, whose HTML has a link, and whose PDF has a boleto. */
export function invoiceMessage({ id, from, subject, text, date, files }: InvoiceOptions): Buffer {
  const lines = [
    `From: ${from ?? 'Cobrança <billing@supplier.test>'}`,
    `Subject: ${subject ?? 'Fatura de dezembro'}`,
    `Date: ${date ?? 'Mon, 3 Dec 2007 09:30:15 -0300'}`,
    `Message-ID: <${id}>`,
    'Content-Type: multipart/mixed; boundary=outer',
    '',
    '--outer',
    'Content-Type: multipart/alternative; boundary=inner',
    '',
    '--inner',
    'Content-Type: text/plain; charset=utf-8',
    '',
    text ?? 'CNPJ 12.ABC.345/01DE-35',
    '--inner',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<p>CNPJ 12.ABC.345/01DE-35 <a href="https://supplier.test/pay">pagar</a></p>',
    '--inner--',
  ]
  const parts = (files ?? [boletoFile]).flatMap(({ name, type, content }) => [
    '--outer',
    `Content-Type: ${type}`,
    `Content-Disposition: attachment; filename="${name}"`,
    'Content-Transfer-Encoding: base64',
    '',
    content.toString('base64'),
  ])
  return toRaw(...lines, ...parts, '--outer--')
}

export const boletoFile = {
  name: 'boleto.pdf',
  type: 'application/pdf',
  content: makePdf({ pages: [toContent([`Linha digitavel: ${bankLine}`])] }),
}
