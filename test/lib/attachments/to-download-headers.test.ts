import { test } from 'tap'
import { toDownloadHeaders } from '../../../lib/attachments/to-download-headers.ts'

const id = 'att_01m8mgq2e8e14t87pjdstsfgj6'

function headersOf(filename: string | null, contentType = 'application/pdf') {
  return toDownloadHeaders({ id, filename, contentType })
}

const types: Record<string, boolean> = {
  'text/html': false,
  'TEXT/HTML': false,
  'application/xhtml+xml': false,
  'image/svg+xml': false,
  'application/xml': false,
  'text/xml': false,
  'text/javascript': false,
  'application/x-shockwave-flash': false,
  'application/octet-stream': false,
  'x/y': false,
  'application/pdf': true,
  'image/png': true,
  'text/csv': true,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': true,
}

for (const [type, isKept] of Object.entries(types)) {
  test(`a file of the type ${type} leaves as ${isKept ? 'that' : 'a stream of bytes'}`, async t => {
    const headers = headersOf('x', type)
    t.equal(headers['content-type'], isKept ? type : 'application/octet-stream')
    t.equal(headers['x-content-type-options'], 'nosniff')
    t.match(headers['content-disposition'], /^attachment; /)
  })
}

// RFC 8187, section 3.2: percent-encoded UTF-8, of attr-char nothing else needs encoding.
const names: Record<string, [filename: string | null, header: string]> = {
  'as usual': ['nota.pdf', `filename="nota.pdf"; filename*=UTF-8''nota.pdf`],
  accented: [
    'cobrança nº 3.pdf',
    `filename="cobranca no 3.pdf"; filename*=UTF-8''cobran%C3%A7a%20n%C2%BA%203.pdf`,
  ],
  foreign: ['請求書.pdf', `filename="___.pdf"; filename*=UTF-8''%E8%AB%8B%E6%B1%82%E6%9B%B8.pdf`],
  'with what ends a header': [
    'a"; x=\\"y\r\nSet-Cookie: z',
    `filename="a_; x=__ySet-Cookie: z"; filename*=UTF-8''a%22%3B%20x%3D%5C%22ySet-Cookie%3A%20z`,
  ],
  'with what RFC 8187 has no place for': [
    "it's (1)*.pdf",
    `filename="it's (1)*.pdf"; filename*=UTF-8''it%27s%20%281%29%2A.pdf`,
  ],
  'that hides its end': ['fdp\u202e.exe', `filename="fdp.exe"; filename*=UTF-8''fdp.exe`],
  'of half a character': ['a\ud800.pdf', `filename="a.pdf"; filename*=UTF-8''a.pdf`],
  missing: [null, `filename="${id}"; filename*=UTF-8''${id}`],
}

for (const [name, [filename, header]] of Object.entries(names)) {
  test(`its name is given in both forms: ${name}`, async t => {
    t.equal(headersOf(filename)['content-disposition'], `attachment; ${header}`)
  })
}
