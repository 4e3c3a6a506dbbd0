/**
 * Reads EMV fields (EMVCo QR Code, merchant-presented mode: two digits of id, two of length, the value), or null
 * when they do not fill `text` exactly or an id comes twice.
 */
export function parseEmvFields(text: string): Map<string, string> | null {
  const fields = new Map<string, string>()
  for (let at = 0; at < text.length; ) {
    const head = text.slice(at, at + 4)
    if (!/^\d{4}$/.test(head)) return null
    const end = at + 4 + Number(head.slice(2))
    const id = head.slice(0, 2)
    if (end > text.length || fields.has(id)) return null
    fields.set(id, text.slice(at + 4, end))
    at = end
  }
  return fields
}

/** How long the code at the beginning of `text` is: up to its field 63, the checksum. Null if it has none. */
export function toEmvLength(text: string): number | null {
  for (let at = 0; ; ) {
    const head = text.slice(at, at + 4)
    if (!/^\d{4}$/.test(head)) return null
    const end = at + 4 + Number(head.slice(2))
    if (end > text.length) return null
    if (head === '6304') return end
    at = end
  }
}
