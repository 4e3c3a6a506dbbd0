/**
 * The program of the thread in which a PDF is read (see pdf-text.ts), as source: a thread does not get the
 * loader that a process was started with, so in development no TypeScript can be run there; and a source needs
 * no file that a build could leave behind. It is given `library`, the address of unpdf, and answers each file that it is
 * sent, one after the other.
 */
export const pdfThread = `
const { parentPort, workerData } = require('node:worker_threads')

parentPort.on('message', file => {
  readPdf(file).then(
    text => parentPort.postMessage(text),
    error => parentPort.postMessage({ ok: false, reason: error?.name === 'PasswordException' ? 'encrypted' : 'broken' }),
  )
})

async function readPdf({ bytes, maxPages, maxCharacters }) {
  const { getDocumentProxy } = await import(workerData.library)
  const pdf = await getDocumentProxy(bytes, {
    isEvalSupported: false,
    verbosity: 0,
    // Neither fonts nor pictures are drawn.
    disableFontFace: true,
    useSystemFonts: false,
    maxImageSize: 0,
  })
  const pages = []
  let length = 0
  for (let page = 1; page <= Math.min(pdf.numPages, maxPages) && length < maxCharacters; page++) {
    const text = await readPage(pdf, page)
    pages.push(text)
    length += text.length + 1
  }
  const text = pages.join('\\f')
  const truncated = pages.length < pdf.numPages || text.length > maxCharacters
  await pdf.destroy()
  return { ok: true, text: text.slice(0, maxCharacters), pages: pdf.numPages, truncated }
}

async function readPage(pdf, number) {
  const page = await pdf.getPage(number)
  const { items } = await page.getTextContent()
  page.cleanup()
  return items.map(item => ('str' in item ? item.str + (item.hasEOL ? '\\n' : '') : '')).join('')
}
`
