export type Charset = 'iso-8859-1' | 'windows-1252' | 'iso-2022-jp'

/** The bytes of a text in one of the old charsets. A character that the charset lacks is a RangeError. */
export function encodeCharset(text: string, charset: Charset): Buffer {
  if (charset === 'iso-2022-jp') return encodeJapanese(text)
  const table = charset === 'windows-1252' ? windows1252 : null
  return Buffer.from([...text].map(character => singleByte(character, table)))
}

function singleByte(character: string, table: Map<string, number> | null): number {
  const code = character.codePointAt(0) ?? 0
  const byte = table?.get(character) ?? (code < 256 ? code : undefined)
  if (byte === undefined) throw new RangeError(`No byte for ${character}`)
  return byte
}

// What 0x80 to 0x9F stand for. Written out: some releases of Node decode these bytes as Latin-1.
const windows1252 = new Map(
  [...'€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'].map((character, index) => [
    character,
    0x80 + index,
  ]),
)

// RFC 1468: ASCII until ESC $ B, then two bytes per character of JIS X 0208 until ESC ( B.
function encodeJapanese(text: string): Buffer {
  const table = jisX0208()
  const bytes: number[] = []
  let isWide = false
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (code > 0x7f !== isWide) {
      isWide = code > 0x7f
      bytes.push(...Buffer.from(isWide ? '\x1b$B' : '\x1b(B'))
    }
    bytes.push(...(isWide ? wideBytes(character, table) : [code]))
  }
  return Buffer.from(isWide ? [...bytes, ...Buffer.from('\x1b(B')] : bytes)
}

function wideBytes(character: string, table: Map<string, [number, number]>): [number, number] {
  const pair = table.get(character)
  if (!pair) throw new RangeError(`Not in JIS X 0208: ${character}`)
  return pair
}

// EUC-JP, which Node can only decode, is JIS X 0208 with the high bits set.
function jisX0208(): Map<string, [number, number]> {
  const decoder = new TextDecoder('euc-jp')
  const table = new Map<string, [number, number]>()
  for (let row = 0x21; row <= 0x7e; row += 1) {
    for (let cell = 0x21; cell <= 0x7e; cell += 1) {
      const character = decoder.decode(Uint8Array.of(row | 0x80, cell | 0x80))
      if (!character.includes('\ufffd')) table.set(character, [row, cell])
    }
  }
  return table
}
