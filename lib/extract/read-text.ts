import type { Readable } from './readable.ts'
import { toTidyText } from './tidy-text.ts'

/** Plain text as it is read. */
export function readText(source: string): Readable {
  const { text, toOrigin } = toTidyText(source)
  return { text, hrefs: [], toSource: toOrigin }
}
