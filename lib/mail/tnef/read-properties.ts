import { ByteReader } from './byte-reader.ts'

/** Property ids (MS-OXPROPS) that say something about an attachment or a message. */
export const propertyIds = {
  body: 0x1000,
  shortFilename: 0x3704,
  longFilename: 0x3707,
  mediaType: 0x370e,
  contentId: 0x3712,
} as const

export type PropertyName = keyof typeof propertyIds

/**
 * The texts among the properties of a list (MS-OXTNEF, section 2.1.3.4; values by MS-OXCDATA, section 2.11.1) that are
 * known here by name. Throws a `RangeError` where the list breaks off.
 */
export function readProperties(
  bytes: Buffer,
  decode: (text: Buffer) => string,
): Partial<Record<PropertyName, string>> {
  const reader = new ByteReader(bytes)
  const found: Partial<Record<PropertyName, string>> = {}
  for (let left = reader.uint32(); left > 0; left--) {
    const type = reader.uint16()
    const id = reader.uint16()
    if (id >= firstNamed) skipName(reader)
    const value = readValue(reader, type)
    const name = names.get(id)
    if (name === undefined || value === null) continue
    if (type === string8) found[name] = toText(decode(value))
    else if (type === unicode) found[name] = toText(value.toString('utf16le'))
  }
  return found
}

const [string8, unicode] = [0x001e, 0x001f]
/** Texts, binaries and objects: each value says how long it is. */
const variable: ReadonlySet<number> = new Set([string8, unicode, 0x000d, 0x0102])
const sizes: ReadonlyMap<number, number> = new Map([
  [0x0000, 0],
  [0x0001, 0],
  [0x0002, 2],
  [0x0003, 4],
  [0x0004, 4],
  [0x0005, 8],
  [0x0006, 8],
  [0x0007, 8],
  [0x000a, 4],
  [0x000b, 2],
  [0x0014, 8],
  [0x0040, 8],
  [0x0048, 16],
])
const isMany = 0x1000
/** From here on an id means nothing without the name that follows it. */
const firstNamed = 0x8000

function skipName(reader: ByteReader): void {
  reader.take(16)
  const isText = reader.uint32() === 1
  if (!isText) {
    reader.uint32()
    return
  }
  reader.take(reader.uint32())
  reader.skipPadding()
}

/** The first of a property's values; null for those of a fixed size, which are no texts. */
function readValue(reader: ByteReader, type: number): Buffer | null {
  const single = type & ~isMany
  const size = sizes.get(single)
  if (size === undefined && !variable.has(single))
    throw new RangeError(`0x${type.toString(16)} is no type of a value`)
  const count = size === undefined || type & isMany ? reader.uint32() : 1
  let first: Buffer | null = null
  for (let left = count; left > 0; left--) {
    const value = reader.take(size ?? reader.uint32())
    reader.skipPadding()
    if (size === undefined) first ??= value
    else if (size === 0) break
  }
  return first
}

const names: ReadonlyMap<number, PropertyName> = new Map(
  (Object.keys(propertyIds) as PropertyName[]).map(name => [propertyIds[name], name]),
)

/** Texts end with a zero, which is counted. */
function toText(text: string): string {
  return text.replace(/\0[\s\S]*$/, '')
}
