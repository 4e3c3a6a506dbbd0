/** So much of a text is compared with conditions, in UTF-16 units. */
export const mostFoldedText = 1_000_000

/**
 * A text as conditions compare it: without case, accents and compatibility forms (`ﬁ` is fi), blanks of any
 * kind and length as one space, so that a line break in a sentence does not hide it.
 */
export function foldText(text: string | null | undefined): string {
  return (
    (text ?? '')
      .slice(0, mostFoldedText)
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(/\s+/g, ' ')
      .trim()
      // One character may stand for eighteen.
      .slice(0, mostFoldedText)
  )
}
