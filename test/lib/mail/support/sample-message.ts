/** Lines of a message, ended as RFC 5322 has it; what is a buffer goes in as it is. */
export function toRaw(...lines: (string | Buffer)[]): Buffer {
  const pieces = lines.flatMap(line => [
    typeof line === 'string' ? Buffer.from(line) : line,
    Buffer.from('\r\n'),
  ])
  return Buffer.concat(pieces)
}

/** A message with text, HTML and two attachments, as mail programs make them. */
export function sampleMessage(id: string, from = 'Carla Souza <Carla@Supplier.test>'): Buffer {
  return toRaw(
    `From: ${from}`,
    'To: Invoices <invoices@acme.test>, "Silva, Rui" <rui@acme.test>',
    'Cc: Team: ana@acme.test, bia@acme.test;',
    'Subject: =?utf-8?Q?Fatura_de_mar=C3=A7o?=',
    'Date: Tue, 10 Mar 2026 09:30:15 -0300',
    `Message-ID: <${id}>`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=outer',
    '',
    '--outer',
    'Content-Type: multipart/alternative; boundary="inner"',
    '',
    '--inner',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Ol=C3=A1, segue a fatura.',
    '--inner',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<p>Olá, segue a <b>fatura</b>.</p>',
    '--inner--',
    '--outer',
    'Content-Type: application/pdf; name="fatura.pdf"',
    'Content-Disposition: attachment; filename="fatura.pdf"',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from('%PDF-1.7 not really').toString('base64'),
    '--outer',
    'Content-Type: text/csv; charset=utf-8',
    'Content-Disposition: attachment; filename=itens.csv',
    '',
    'item;valor',
    '--outer--',
  )
}
