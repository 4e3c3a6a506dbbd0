import { escapeModule } from './escape-module.ts'

/** Memory, and what escapes text in it. */
export interface Escaper {
  /** From 0 on, `longestText` fits in, in UTF-8. */
  readonly memory: Buffer
  /** Where there is room for a message with that text in it, escaped and as it is, and with `longestRest` around. */
  readonly room: number
  /**
   * Copies so many bytes from 0 on, as they stand inside of a JSON string, and returns where the copy ends. 0: there is
   * a control character among them, which takes more than a backslash.
   */
  escape(length: number, to: number): number
}

/** In UTF-16 units, of which each may take three bytes. */
export const longestText = 65_536
/** The same of all that stands around the text. */
export const longestRest = 4_096

// As escape.wat has it: what it writes behind the text that it reads, and behind its copy.
const slack = 16
const rowsStart = 3 * longestText + slack
const rowsLength = 256 * 16

/** What the types of Node.js leave out. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: unknown }
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly escape: (length: number, to: number, rows: number) => number
}

/**
 * Null where WebAssembly, or its operations on vectors, are missing: with `--jitless`, and on processors that V8 has none
 * for. What it saves over `JSON.stringify` is in docs/performance.md.
 *
 * @param module in base64
 */
export function createEscaper(module = escapeModule): Escaper | null {
  let exports: Exports
  try {
    const compiled = new WebAssembly.Module(Buffer.from(module, 'base64'))
    exports = new WebAssembly.Instance(compiled).exports as Exports
  } catch {
    return null
  }
  const memory = Buffer.from(exports.memory.buffer)
  for (let marks = 0; marks < 256; marks++) writeRow(memory, marks)
  return {
    memory,
    room: rowsStart + rowsLength,
    escape: (length, to) => exports.escape(length, to, rowsStart),
  }
}

/** Where eight bytes go of which those are to be escaped that have a bit in `marks`; the ninth is a backslash. */
function writeRow(memory: Buffer, marks: number): void {
  let at = rowsStart + 16 * marks
  for (let index = 0; index < 8; index++) {
    if ((marks >> index) & 1) memory[at++] = 8
    memory[at++] = index
  }
}
