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
/** Milliseconds that an idle thread is kept: starting one takes longer than reading most files. */
const IDLE_MS = 2_000
/** Files that one thread reads at most, so that what leaks does not add up. */
const MOST_FILES = 50
let last: Promise<unknown> = Promise.resolve()
let idle: { thread: Worker; files: number; maxMemory: number; timer: NodeJS.Timeout } | null = null

/**
 * The text of a PDF. PDFs are programs of strangers: they are read in a thread beside everything else, which is
 * ended when one takes too much time or memory or breaks. One at a time, so that their memory does not add up. Never
 * rejects for what a PDF holds.
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
  const { thread, files } = takeThread(maxMemory)
  return new Promise(resolve => {
    const most = process.memoryUsage.rss() + maxMemory * MIB
    const timer = setTimeout(() => giveUp('timeout'), timeoutMs)
    // The limits of a thread cover its heap, but what it unpacks lies outside of that.
    const watch = setInterval(() => {
      if (process.memoryUsage.rss() > most) giveUp('memory')
    }, WATCH_MS)
    thread.once('message', message => {
      const text = pdfText.safeParse(message).data
      if (!text?.ok) return giveUp(text?.reason ?? 'broken')
      settle()
      keepThread(thread, { files: files + 1, maxMemory })
      resolve(text)
    })
    thread.once('error', error => giveUp(isOutOfMemory(error) ? 'memory' : 'broken'))
    thread.once('exit', () => giveUp('broken'))
    thread.postMessage({ bytes: copy, maxPages, maxCharacters }, [copy.buffer])

    function giveUp(reason: Extract<PdfText, { ok: false }>['reason']): void {
      settle()
      endThread(thread).then(() => resolve({ ok: false, reason }))
    }

    function settle(): void {
      clearTimeout(timer)
      clearInterval(watch)
      removeListeners(thread)
    }
  })
}

/** The idle thread where its limits are those wanted, else a new one. */
function takeThread(maxMemory: number): { thread: Worker; files: number } {
  const kept = idle
  idle = null
  if (kept) {
    clearTimeout(kept.timer)
    removeListeners(kept.thread)
    if (kept.maxMemory === maxMemory) {
      kept.thread.ref()
      return kept
    }
    void endThread(kept.thread)
  }
  const thread = new Worker(pdfThread, {
    eval: true,
    workerData: { library: import.meta.resolve('unpdf') },
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
  return { thread, files: 0 }
}

function keepThread(thread: Worker, { files, maxMemory }: { files: number; maxMemory: number }): void {
  if (files >= MOST_FILES) {
    void endThread(thread)
    return
  }
  const forget = () => {
    if (idle?.thread === thread) idle = null
    void endThread(thread)
  }
  // Neither the thread nor its timer keeps a process from ending.
  thread.unref()
  thread.once('error', forget).once('exit', forget)
  idle = { thread, files, maxMemory, timer: setTimeout(forget, IDLE_MS).unref() }
}

// By name: without a name, a thread's own listeners would go as well, and it would hear nothing any more.
function removeListeners(thread: Worker): void {
  for (const name of ['message', 'error', 'exit']) thread.removeAllListeners(name)
}

async function endThread(thread: Worker): Promise<void> {
  removeListeners(thread)
  // Ending a thread can itself fail late; nobody is left to hear of it.
  thread.on('error', () => {})
  await thread.terminate().catch(() => {})
}

function isOutOfMemory(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
