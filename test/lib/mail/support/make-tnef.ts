import { toRaw } from './sample-message.ts'

/** Writes a winmail.dat by the letter of MS-OXTNEF, for tests: attributes, and lists of properties in some of them. */
export interface PackedFile {
  /** In the old form, by the package's code page. */
  readonly title: Buffer
  readonly content: Buffer
  readonly properties?: readonly Buffer[]
}

export function makeTnef({
  codePage = 1252,
  body,
  messageProperties,
  files,
}: {
  readonly codePage?: number
  readonly body?: Buffer
  readonly messageProperties?: readonly Buffer[]
  readonly files: readonly PackedFile[]
}): Buffer {
  return Buffer.concat([
    uint32(0x223e9f78),
    uint16(1),
    attribute(1, 0x00089006, uint32(0x00010000)),
    attribute(1, 0x00069007, Buffer.concat([uint32(codePage), uint32(0)])),
    ...(body ? [attribute(1, 0x0002800c, Buffer.concat([body, Buffer.alloc(1)]))] : []),
    ...(messageProperties ? [attribute(1, 0x00069003, list(messageProperties))] : []),
    ...files.flatMap(({ title, content, properties }) => [
      attribute(2, 0x00069002, Buffer.alloc(14)),
      attribute(2, 0x00018010, Buffer.concat([title, Buffer.alloc(1)])),
      attribute(2, 0x0006800f, content),
      ...(properties ? [attribute(2, 0x00069005, list(properties))] : []),
    ]),
  ])
}

/** A message that is nothing but the package, and one with a text before it. */
export function toPackedMessages(tnef: Buffer): { readonly alone: Buffer; readonly behind: Buffer } {
  const part = [
    'Content-Type: application/ms-tnef; name="winmail.dat"',
    'Content-Transfer-Encoding: base64',
    '',
    tnef.toString('base64'),
  ]
  const boundary = 'Content-Type: multipart/mixed; boundary=b'
  return { alone: toRaw(...part), behind: toRaw(boundary, '', '--b', '', 'hello', '--b', ...part, '--b--') }
}

export function attribute(level: number, id: number, data: Buffer): Buffer {
  const sum = data.reduce((total, byte) => (total + byte) % 65_536, 0)
  return Buffer.concat([Buffer.from([level]), uint32(id), uint32(data.length), data, uint16(sum)])
}

export function textProperty(id: number, text: string): Buffer {
  return Buffer.concat([uint16(0x1f), uint16(id), values([Buffer.from(`${text}\0`, 'utf16le')])])
}

export function oldTextProperty(id: number, text: Buffer): Buffer {
  return Buffer.concat([uint16(0x1e), uint16(id), values([Buffer.concat([text, Buffer.alloc(1)])])])
}

export function bytesProperty(id: number, bytes: Buffer): Buffer {
  return Buffer.concat([uint16(0x102), uint16(id), values([bytes])])
}

/** Of a type whose values have a fixed size; each is padded to four bytes. */
export function fixedProperty(type: number, id: number, value: Buffer): Buffer {
  return Buffer.concat([uint16(type), uint16(id), padded(value)])
}

/** Several texts in one property. */
export function textsProperty(id: number, texts: readonly string[]): Buffer {
  return Buffer.concat([
    uint16(0x101f),
    uint16(id),
    values(texts.map(text => Buffer.from(`${text}\0`, 'utf16le'))),
  ])
}

/** A property with a name of its own instead of an id: a number, or a text. */
export function namedProperty(name: number | string, text: string): Buffer {
  const utf16 = Buffer.from(`${name}\0`, 'utf16le')
  const printed =
    typeof name === 'number' ? [uint32(0), uint32(name)] : [uint32(1), uint32(utf16.length), padded(utf16)]
  const value = values([Buffer.from(`${text}\0`, 'utf16le')])
  return Buffer.concat([uint16(0x1f), uint16(0x8001), Buffer.alloc(16, 7), ...printed, value])
}

function list(properties: readonly Buffer[]): Buffer {
  return Buffer.concat([uint32(properties.length), ...properties])
}

function values(all: readonly Buffer[]): Buffer {
  return Buffer.concat([uint32(all.length), ...all.flatMap(value => [uint32(value.length), padded(value)])])
}

function padded(value: Buffer): Buffer {
  return Buffer.concat([value, Buffer.alloc((4 - (value.length % 4)) % 4)])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}
