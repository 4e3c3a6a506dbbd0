/** So much of a text is compared with conditions, in UTF-16 units. */
export const mostFoldedText = 200_000

/** In UTF-16 units. */
const pieceLength = 16_384

/**
 * A text as conditions compare it: without case, accents and compatibility forms (`ﬁ` is fi), blanks of any
 * kind and length as one space, so that a line break in a sentence does not hide it.
 */
export function foldText(text: string | null | undefined): string {
  return decompose((text ?? '').slice(0, mostFoldedText))
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, mostFoldedText)
}

/** Piece by piece, and no further than needed: one character may stand for eighteen. */
function decompose(text: string): string {
  let decomposed = ''
  let end = 0
  for (let start = 0; start < text.length && decomposed.length < mostFoldedText; start = end) {
    end = start + pieceLength
    // Not between the halves of a character.
    if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end += 1
    decomposed += text.slice(start, end).normalize('NFKD').replace(/\p{M}/gu, '')
  }
  return decomposed
}
