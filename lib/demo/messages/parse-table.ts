/** Rows of a table written as text: one a line, cells between `|`, blanks around them dropped. */
export function parseTable(text: string): string[][] {
  const lines = text.split('\n').filter(line => line.trim() !== '')
  return lines.map(line => line.split('|').map(cell => cell.trim()))
}
