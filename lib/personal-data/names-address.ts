/** What an address goes on with: before or behind such a character stands another, longer one. */
const part = /[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~@-]/u

/** Whether a text names one of these addresses, in whatever case, and not only a longer one that holds it. */
export function namesAddress(text: string, spellings: readonly string[]): boolean {
  const lower = text.toLowerCase()
  return spellings.some(address => {
    for (let at = lower.indexOf(address); at !== -1; at = lower.indexOf(address, at + 1)) {
      if (!goesOnBefore(lower, at) && !goesOnBehind(lower, at + address.length)) return true
    }
    return false
  })
}

function goesOnBefore(text: string, at: number): boolean {
  const before = text.slice(0, at)
  // A dot belongs to an address only if something stands before it.
  return part.test(lastCharacter(before.endsWith('.') ? before.slice(0, -1) : before))
}

function goesOnBehind(text: string, end: number): boolean {
  const behind = text.slice(text[end] === '.' ? end + 1 : end)
  return part.test(String.fromCodePoint(behind.codePointAt(0) ?? 0))
}

function lastCharacter(text: string): string {
  return [...text.slice(-2)].at(-1) ?? ''
}
