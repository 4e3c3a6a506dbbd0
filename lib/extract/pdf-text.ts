import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import { pdfThread } from './pdf-thread.ts'

export interface PdfBounds {
  /** Larger files are not opened. */
  readonly maxBytes: number
  /** Pages after these are not read. */
  readonly maxPages: number
  /** Text beyond is cut. */
  readonly maxCharacters: number
  readonly timeoutMs: number
  /** How much memory reading may take, in MiB: the heap of the thread, and what the whole process grows by. */
  readonly maxMemory: number
}

export const defaultPdfBounds: PdfBounds = {
  maxBytes: 10_485_760,
  maxPages: 30,
  maxCharacters: 1_000_000,
  timeoutMs: 10_000,
  maxMemory: 384,
}

const pdfText = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), text: z.string(), pages: z.int(), truncated: z.boolean() }),
  z.object({
    ok: z.literal(false),
    reason: z.enum(['not_pdf', 'too_large', 'encrypted', 'broken', 'timeout', 'memory']),
  }),
])

/**
 * The text, pages apart by a form feed (a scanned page has none), with how many pages the file has and whether
 * any or part of the text was left out for a bound; or why there is none. `encrypted`: it asks for a password.
 */
export type PdfText = z.infer<typeof pdfText>

const MIB = 1_048_576
const WATCH_MS = 25
let last: Promise<unknown> = Promise.resolve()

/**
 * The text of a PDF. PDFs are programs of strangers: each is read in a thread of its own that is ended when it
 * takes too much time or memory. One at a time, so that their memory does not add up. Never rejects for what a
 * PDF holds.
 */
export function extractPdfText(bytes: Uint8Array, bounds: Partial<PdfBounds> = {}): Promise<PdfText> {
  const all = { ...defaultPdfBounds, ...bounds }
  if (bytes.length > all.maxBytes) return Promise.resolve({ ok: false, reason: 'too_large' })
  // ISO 32000, annex H: readers take a header anywhere in the first 1,024 bytes.
  if (!Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024)).includes('%PDF-')) {
    return Promise.resolve({ ok: false, reason: 'not_pdf' })
  }
  const turn = last.then(() => readInThread(bytes, all))
  last = turn.catch(() => {})
  return turn
}

function readInThread(bytes: Uint8Array, bounds: PdfBounds): Promise<PdfText> {
  const { maxPages, maxCharacters, timeoutMs, maxMemory } = bounds
  // A copy: the caller's bytes stay theirs, and only a whole buffer can be handed over.
  const copy = new Uint8Array(bytes)
  const thread = new Worker(pdfThread, {
    eval: true,
    workerData: { library: import.meta.resolve('unpdf'), bytes: copy, maxPages, maxCharacters },
    transferList: [copy.buffer],
    // Nothing of the process is lent: no flags, no environment.
    execArgv: [],
    env: {},
    // What it would print comes from the PDF.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: maxMemory, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  })
  thread.stdout.resume()
  thread.stderr.resume()
  return new Promise(resolve => {
    const most = process.memoryUsage.rss() + maxMemory * MIB
    const timer = setTimeout(() => finish({ ok: false, reason: 'timeout' }), timeoutMs)
    // The limits of a thread cover its heap, but what it unpacks lies outside of that.
    const watch = setInterval(() => {
      if (process.memoryUsage.rss() > most) finish({ ok: false, reason: 'memory' })
    }, WATCH_MS)
    thread.once('message', message =>
      finish(pdfText.safeParse(message).data ?? { ok: false, reason: 'broken' }),
    )
    thread.once('error', error => finish({ ok: false, reason: isOutOfMemory(error) ? 'memory' : 'broken' }))
    thread.once('exit', () => finish({ ok: false, reason: 'broken' }))

    function finish(text: PdfText): void {
      clearTimeout(timer)
      clearInterval(watch)
      thread.removeAllListeners()
      // Ending a thread can itself fail late; nobody is left to hear of it.
      thread.on('error', () => {})
      thread.terminate().then(
        () => resolve(text),
        () => resolve(text),
      )
    }
  })
}

function isOutOfMemory(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
