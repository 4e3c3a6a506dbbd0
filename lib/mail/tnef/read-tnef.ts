import { ByteReader } from './byte-reader.ts'
import { type PropertyName, readProperties } from './read-properties.ts'

/** A file in a winmail.dat. */
export interface TnefFile {
  readonly filename: string | null
  readonly contentType: string | null
  readonly contentId: string | null
  readonly content: Buffer
}

export interface Tnef {
  /** The plain text of the message, which mostly stands beside it as well. */
  readonly text: string | null
  readonly files: readonly TnefFile[]
}

/**
 * What Outlook and Exchange pack into `winmail.dat` (MS-OXTNEF). Of one that breaks off, or whose sums are wrong, what
 * came whole before; nothing of bytes that are none. Formatted text and messages inside of it are not opened.
 */
export function readTnef(bytes: Buffer): Tnef {
  const contents = new Contents()
  try {
    const reader = new ByteReader(bytes)
    if (reader.uint32() !== signature) return contents.end()
    reader.uint16()
    while (!reader.isAtEnd) contents.add(readAttribute(reader))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return contents.end()
}

/** MS-OXTNEF, sections 2.1.3.1 and 2.1.3.2. */
const signature = 0x223e9f78
const attributes = {
  codePage: 0x00069007,
  body: 0x0002800c,
  messageProperties: 0x00069003,
  attachmentBegins: 0x00069002,
  attachmentTitle: 0x00018010,
  attachmentData: 0x0006800f,
  attachmentProperties: 0x00069005,
} as const

interface Attribute {
  readonly id: number
  readonly data: Buffer
}

function readAttribute(reader: ByteReader): Attribute {
  reader.uint8()
  const id = reader.uint32()
  const data = reader.take(reader.uint32())
  const sum = reader.uint16()
  if (toSum(data) !== sum) throw new RangeError('the sum is wrong')
  return { id, data }
}

function toSum(bytes: Buffer): number {
  let sum = 0
  for (const byte of bytes) sum = (sum + byte) & 0xffff
  return sum
}

class Contents {
  #decode = decoderOf(1252)
  #text: string | null = null
  readonly #files: TnefFile[] = []
  #file: { title?: string; content?: Buffer; properties?: Partial<Record<PropertyName, string>> } = {}

  add({ id, data }: Attribute): void {
    switch (id) {
      case attributes.codePage:
        this.#decode = decoderOf(new ByteReader(data).uint32())
        break
      case attributes.body:
        this.#text ??= this.#toText(data)
        break
      case attributes.messageProperties:
        this.#text = readProperties(data, this.#decode).body ?? this.#text
        break
      case attributes.attachmentBegins:
        this.#endFile()
        break
      case attributes.attachmentTitle:
        this.#file.title = this.#toText(data)
        break
      case attributes.attachmentData:
        this.#file.content = data
        break
      case attributes.attachmentProperties:
        this.#file.properties = readProperties(data, this.#decode)
        break
    }
  }

  end(): Tnef {
    this.#endFile()
    return { text: this.#text, files: this.#files }
  }

  #toText(bytes: Buffer): string {
    return this.#decode(bytes).replace(/\0[\s\S]*$/, '')
  }

  #endFile(): void {
    const { title, content, properties = {} } = this.#file
    this.#file = {}
    if (content === undefined) return
    this.#files.push({
      filename: properties.longFilename ?? properties.shortFilename ?? title ?? null,
      contentType: properties.mediaType?.toLowerCase() ?? null,
      contentId: properties.contentId ?? null,
      content,
    })
  }
}

/** Of a Windows code page; those that are not known here are read as the most common one. */
function decoderOf(codePage: number): (text: Buffer) => string {
  const label = labels.get(codePage) ?? `windows-${codePage}`
  try {
    const decoder = new TextDecoder(label)
    return text => decoder.decode(text)
  } catch {
    return decoderOf(1252)
  }
}

const labels: ReadonlyMap<number, string> = new Map([
  [932, 'shift_jis'],
  [936, 'gbk'],
  [949, 'euc-kr'],
  [950, 'big5'],
  [20_127, 'windows-1252'],
  [28_591, 'iso-8859-1'],
  [65_001, 'utf-8'],
])
