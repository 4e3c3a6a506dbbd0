import { findAmounts } from './amount.ts'
import { findBoletos } from './boleto.ts'
import { findCnpjs } from './cnpj.ts'
import { findCpfs } from './cpf.ts'
import { findDates } from './date.ts'
import { toExcerpt } from './excerpt.ts'
import type { Extraction, ExtractionKind, ExtractionOf, FoundIn } from './extraction.ts'
import type { FindContext, Finder, Finding } from './finding.ts'
import { findLinks } from './link.ts'
import { findNfeKeys } from './nfe-key.ts'
import type { Stretch } from './offset-map.ts'
import { findOneTimeCodes } from './one-time-code.ts'
import { findPixCodes } from './pix.ts'
import { readHtml } from './read-html.ts'
import { readText } from './read-text.ts'
import type { Readable } from './readable.ts'
import { TakenStretches } from './taken-stretches.ts'

export interface ExtractionSource {
  /** `html` is markup; `text` and `attachment` are plain text (of an attachment, what was read from it). */
  readonly source: FoundIn['source']
  readonly attachment_id?: string
  readonly text: string
}

export interface ExtractOptions {
  /** When the message was written or, failing that, received: due-date factors are read near it. */
  readonly messageDate: Date | string
}

/** At most so many values of one kind are given for a message; the first ones found. */
export const MAX_PER_KIND = 100
/** Over all sources, so many characters are read, in the order of the sources. */
export const MAX_CHARACTERS = 8_000_000

/**
 * What a message says that proves itself, over all its sources, in the order given: of every kind each value
 * once, with the first place where it stands. Kinds come in the order of `extractionKinds`.
 */
export function extract(sources: readonly ExtractionSource[], { messageDate }: ExtractOptions): Extraction[] {
  const messageDay = new Date(messageDate).toISOString().slice(0, 10)
  let left = MAX_CHARACTERS
  const readings = sources.map(source => {
    const text = source.text.slice(0, left)
    left -= text.length
    return toReading(source, text, messageDay)
  })
  return [
    // These three take the digits that they consist of: those are not numbers of their own.
    ...collect('boleto', findBoletos, { readings, takes: true }),
    ...collect('pix', findPixCodes, { readings, takes: true }),
    ...collect('nfe_key', findNfeKeys, { readings, takes: true }),
    ...collect('cnpj', findCnpjs, { readings }),
    ...collect('cpf', findCpfs, { readings }),
    ...collect('amount', findAmounts, { readings }),
    ...collect('date', findDates, { readings }),
    ...collect('link', findLinks, { readings }),
    ...collect('one_time_code', findOneTimeCodes, { readings }),
  ]
}

interface Reading {
  readonly source: ExtractionSource
  readonly readable: Readable
  readonly taken: TakenStretches
  readonly context: FindContext
}

function toReading(source: ExtractionSource, text: string, messageDay: string): Reading {
  const taken = new TakenStretches()
  return {
    source,
    readable: source.source === 'html' ? readHtml(text) : readText(text),
    taken,
    context: { messageDay, isTaken: stretch => taken.has(stretch) },
  }
}

function collect<Kind extends ExtractionKind>(
  kind: Kind,
  find: Finder<ExtractionOf<Kind>['details']>,
  { readings, takes = false }: { readings: readonly Reading[]; takes?: boolean },
): ExtractionOf<Kind>[] {
  const values = new Map<string, ExtractionOf<Kind>>()
  for (const reading of readings) {
    const here = new Map<string, ExtractionOf<Kind>>()
    for (const finding of find(reading.readable, reading.context)) {
      if (takes) reading.taken.add(finding.at)
      const { value, details } = finding
      if (values.has(value)) continue
      // A finder may look several times, for one form after the other: the first place is not always found first.
      const start = toStretch(reading, finding).start
      if (start >= (here.get(value)?.found.offset ?? Number.POSITIVE_INFINITY)) continue
      here.set(value, { kind, value, details, found: toFound(reading, finding) })
      if (values.size + here.size === MAX_PER_KIND) break
    }
    const inOrder = [...here].sort(([, a], [, b]) => a.found.offset - b.found.offset)
    for (const [value, extraction] of inOrder) values.set(value, extraction)
    if (values.size === MAX_PER_KIND) break
  }
  return [...values.values()]
}

function toFound(reading: Reading, finding: Finding<unknown>): FoundIn {
  const { source, readable } = reading
  const { start, end } = toStretch(reading, finding)
  return {
    source: source.source,
    ...(source.attachment_id !== undefined && { attachment_id: source.attachment_id }),
    offset: start,
    length: end - start,
    ...(!finding.place && { excerpt: toExcerpt(readable.text, finding.at) }),
  }
}

function toStretch({ readable }: Reading, { at, place }: Finding<unknown>): Stretch {
  return place ?? readable.toSource(at)
}
