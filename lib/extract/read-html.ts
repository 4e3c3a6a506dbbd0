import { Tokenizer } from 'htmlparser2'
import { OffsetMap, type Stretch } from './offset-map.ts'
import type { Readable } from './readable.ts'
import { toTidyText } from './tidy-text.ts'

const SILENT = new Set(['script', 'style', 'template', 'title'])
const CELL = new Set(['td', 'th'])
// The last one is the button of Outlook's own markup.
const LINK = new Set(['a', 'area', 'v:roundrect'])
// Every other element breaks the line: one that nobody knows may well do so too.
const INLINE = new Set(
  `a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr o:p q s samp small
  span strike strong sub sup time tt u var wbr`.split(/\s+/),
)

/**
 * HTML as it is read: its text with entities decoded, blocks and cells apart, and the addresses of its links.
 * Nothing is rendered: text hidden by a style is text. Only the tokenizer of the parser is used, because the
 * parser's stack of open elements makes a mail of nothing but `<b>` take minutes.
 */
export function readHtml(source: string): Readable {
  const reader = new HtmlReader(source)
  const tidy = toTidyText(reader.pieces.join(''))
  return {
    text: tidy.text,
    hrefs: reader.hrefs,
    toSource: stretch => reader.map.toOrigin(tidy.toOrigin(stretch)),
  }
}

class HtmlReader {
  readonly pieces: string[] = []
  readonly map = new OffsetMap()
  readonly hrefs: { url: string; place: Stretch }[] = []
  readonly #source: string
  #silent: string | null = null
  #tag = ''
  #href: { url: string; start: number } | null = null

  constructor(source: string) {
    this.#source = source
    const tokenizer = new Tokenizer({ xmlMode: false, decodeEntities: true }, this)
    tokenizer.write(source)
    tokenizer.end()
  }

  ontext(start: number, end: number): void {
    this.#append(this.#source.slice(start, end), { start, end })
  }

  ontextentity(codePoint: number, end: number): void {
    const start = this.#source.lastIndexOf('&', end - 1)
    this.#append(String.fromCodePoint(codePoint), { start, end })
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.#source.slice(start, end).toLowerCase()
    if (this.#silent === null && SILENT.has(this.#tag)) this.#silent = this.#tag
    this.#separate({ start: start - 1, end })
  }

  onclosetag(start: number, end: number): void {
    this.#tag = this.#source.slice(start, end).toLowerCase()
    if (this.#silent === this.#tag) this.#silent = null
    this.#separate({ start: start - 2, end })
  }

  onattribname(start: number, end: number): void {
    const isHref = LINK.has(this.#tag) && this.#source.slice(start, end).toLowerCase() === 'href'
    this.#href = isHref ? { url: '', start } : null
  }

  onattribdata(start: number, end: number): void {
    if (this.#href) this.#href.url += this.#source.slice(start, end)
  }

  onattribentity(codePoint: number): void {
    if (this.#href) this.#href.url += String.fromCodePoint(codePoint)
  }

  onattribend(_quote: number, end: number): void {
    if (this.#href) this.hrefs.push({ url: this.#href.url, place: { start: this.#href.start, end } })
    this.#href = null
  }

  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onopentagend(): void {}
  onprocessinginstruction(): void {}
  onselfclosingtag(): void {}

  #separate(place: Stretch): void {
    if (!INLINE.has(this.#tag)) this.#append(CELL.has(this.#tag) ? ' ' : '\n', place)
  }

  #append(piece: string, origin: Stretch): void {
    if (this.#silent !== null) return
    this.pieces.push(piece)
    this.map.add(piece.length, origin)
  }
}
