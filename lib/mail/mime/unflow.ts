/**
 * Puts the lines of a format=flowed text together again (RFC 3676, section 4): lines that end in a space go on
 * in the next one of the same quote depth. With `delSp` that space is not part of the text. It works on bytes,
 * one character each, in any charset that has ASCII's `>`, space and line feed.
 */
export function unflow(text: string, { delSp }: { delSp: boolean }): string {
  const lines: string[] = []
  let open: { readonly depth: number; readonly pieces: string[] } | null = null
  for (const line of text.split(/\r?\n/)) {
    const depth = countQuotes(line)
    // Stuffed with one space where the line would otherwise look like a quote, a `From ` or a blank.
    const content = line.slice(line[depth] === ' ' ? depth + 1 : depth)
    const isSignature = content === '-- '
    const isFlowed: boolean = content.endsWith(' ') && !isSignature
    // Broken, but it happens: a line that is to go on in another depth, or in the signature, does not.
    if (open && (open.depth !== depth || isSignature)) {
      lines.push(close(open))
      open = null
    }
    open ??= { depth, pieces: [] }
    open.pieces.push(isFlowed && delSp ? content.slice(0, -1) : content)
    if (isFlowed) continue
    lines.push(close(open))
    open = null
  }
  if (open) lines.push(close(open))
  return lines.join('\n')
}

function countQuotes(line: string): number {
  let depth = 0
  while (line[depth] === '>') depth += 1
  return depth
}

function close({ depth, pieces }: { depth: number; pieces: readonly string[] }): string {
  const text = pieces.join('')
  return depth === 0 ? text : `${'>'.repeat(depth)} ${text}`
}
