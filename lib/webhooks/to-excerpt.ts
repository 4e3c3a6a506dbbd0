/** What is kept of an answer's body, in bytes. */
export const excerptBytes = 1_024

/**
 * The beginning of an answer as text that can be shown anywhere: at most 1 KB, without control characters, and without
 * those that hide or reorder what stands around them. Null for an empty one. It was written by a stranger.
 */
export function toExcerpt(bytes: Buffer): string | null {
  const text = new TextDecoder('utf-8').decode(bytes.subarray(0, excerptBytes), { stream: true })
  const printable = text.replaceAll(/(?![\t\n])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu, '\uFFFD').trim()
  return printable === '' ? null : printable
}
