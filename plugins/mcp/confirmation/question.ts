import { isObject } from '../message.ts'

/** How many characters of a value a question shows; nothing shorter is touched. */
const shown = 60

/** Where a placeholder's value comes from: the preview's answer, or the arguments of the call. */
export interface QuestionSource {
  /** The JSON body of the preview; null when the route has none. */
  readonly preview: unknown
  readonly arguments: Readonly<Record<string, unknown>>
}

export type Question = (source: QuestionSource) => string

export interface QuestionContext {
  readonly hasPreview?: boolean
  /** Whether the tool takes an argument of that name. Default: all of them. */
  readonly hasArgument?: (name: string) => boolean
}

/**
 * Compiles a route's question, such as `Delete the e-mail {data.subject} from {data.from}, received
 * {data.received_at:date}?`. A placeholder is a path into the preview, or into the arguments when it begins with
 * `arguments.`; `:date` prints a day, `:host` where a URL leads, and `:whole` shows
 * up to 320 characters of a text that is told by its end, such as an address, and 20 of a list. Throws an Error for a
 * malformed template, for a path into a preview where there is none, and for an argument that the tool does not take.
 *
 * Values are mostly third-party text, and the person decides by this sentence: each is quoted, on one line, without
 * characters that hide or reorder text, and shortened.
 */
export function compileQuestion(
  template: string,
  { hasPreview = true, hasArgument = () => true }: QuestionContext = {},
): Question {
  const parts = toParts(template)
  if (parts.some((part, index) => index % 2 === 0 && /[{}]/.test(part)))
    throw new Error('a brace has no partner')
  const pieces = parts.map((part, index) => (index % 2 === 0 ? () => part : compilePlaceholder(part)))
  if (!hasPreview && parts.some((part, index) => index % 2 === 1 && !part.startsWith('arguments.')))
    throw new Error('only {arguments.…} can be shown without a preview')
  const missing = toPaths(template).find(([root, name]) => root === 'arguments' && !hasArgument(name ?? ''))
  if (missing) throw new Error(`{${missing.join('.')}} is no argument of this tool`)
  return source => pieces.map(piece => piece(source)).join('')
}

/** The members of the preview that a question shows, the outermost ones. */
export function toShownMembers(template: string): readonly string[] {
  const roots = toPaths(template).map(([root = '']) => root)
  return [...new Set(roots)].filter(root => root !== 'arguments')
}

function toPaths(template: string): readonly (readonly string[])[] {
  const placeholders = toParts(template).filter((_, index) => index % 2 === 1)
  return placeholders.map(placeholder => placeholder.replace(/:.*/, '').split('.'))
}

// Text and placeholders in turn.
function toParts(template: string): readonly string[] {
  return template.split(/\{([^{}]*)\}/)
}

/** The question of a route that has none of its own: what it is called, and what with. */
export function askPlainly(title: string, args: QuestionSource['arguments']): string {
  const given = Object.entries(args)
  const print = ([name, value]: readonly [string, unknown]) =>
    `${/^\w{1,60}$/.test(name) ? name : toQuoted(name)} ${toQuoted(value)}`
  return given.length > 0 ? `${title}? With: ${toSome(given, 10, print)}.` : `${title}?`
}

function compilePlaceholder(placeholder: string): Question {
  const match = /^([A-Za-z_]\w*(?:\.\w+)*)(?::(date|host|whole))?$/.exec(placeholder)
  if (!match) throw new Error(`{${placeholder}} is not a path such as {data.subject}`)
  const path = (match[1] ?? '').split('.')
  const [root, ...rest] = path
  const print = printers[match[2] ?? 'short'] ?? toQuoted
  return ({ preview, arguments: args }) =>
    print(root === 'arguments' ? valueAt(args, rest) : valueAt(preview, path))
}

const printers: Readonly<Record<string, (value: unknown) => string>> = {
  date: value => toDay(value),
  host: value => toHost(value),
  whole: value => toQuoted(value, { characters: 320, entries: 20 }),
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return value
}

interface Bounds {
  readonly characters: number
  /** Of a list. */
  readonly entries: number
}

const bounds: Bounds = { characters: shown, entries: 5 }

/** A value as a question shows it. */
export function toQuoted(value: unknown, most = bounds): string {
  if (value === undefined || value === null || value === '') return '(none)'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return toQuotedList(value, most)
  const text = clean(typeof value === 'string' ? value : JSON.stringify(value))
  return text === '' ? '(blank)' : `“${shorten(text, most.characters)}”`
}

function toQuotedList(values: readonly unknown[], most: Bounds): string {
  if (values.length === 0) return '(none)'
  // A list in a list is printed as one text, so that what is shown stays bounded.
  return toSome(values, most.entries, value =>
    toQuoted(Array.isArray(value) ? JSON.stringify(value) : value, most),
  )
}

function toSome<T>(all: readonly T[], most: number, print: (one: T) => string): string {
  const first = all.slice(0, most).map(print).join(', ')
  return all.length > most ? `${first} and ${all.length - most} more` : first
}

// What hides or reorders text goes: controls and line ends become a space; bidirectional marks, zero-width and other
// characters that are not seen vanish, save the joiners and selectors that scripts and emoji are spelled with. What
// looks like the quotation marks used here is flattened, so that no value can close its own quotation.
function clean(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\p{DI}\ufff9-\ufffb]/gu, (character: string) =>
      isSpelling.test(character) ? character : '',
    )
    .replaceAll(/(?<=^|\s|\u200c|\u200d)(?:\u200c|\u200d)+|(?:\u200c|\u200d)+(?=\s|$)/gu, '')
    .replaceAll(/[“”‟❝❞🙶🙷🙸]/gu, '"')
    .trim()
}

const isSpelling = /^(?:\u200c|\u200d|[\u180b-\u180d\u180f]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}])$/u

function shorten(text: string, most: number): string {
  // A pile of combining marks is one character to a reader and covers the lines around it.
  const bounded = text.replaceAll(/(\p{M}{4})\p{M}+/gu, '$1')
  // By what a reader sees as one character: a cut inside an accent or an emoji would show something else.
  const start = bounded.slice(0, 4_000).replace(/[\ud800-\udbff]$/, '')
  const characters = Array.from(segmenter.segment(start), ({ segment }) => segment)
  const isWhole = characters.length <= most && bounded.length <= 4_000
  const kept = characters.slice(0, isWhole ? most : most - 1).map(shortenCharacter)
  return isWhole ? kept.join('') : `${kept.join('')}…`
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

// Emoji and syllables chain without end; the longest that is in use, a family with skin tones, takes 19 units.
function shortenCharacter(character: string): string {
  return character.length <= 32 ? character : `${Array.from(character).slice(0, 16).join('')}…`
}

const day = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

function toDay(value: unknown): string {
  // Only RFC 3339: Date.parse finds dates in all kinds of text.
  const isDate = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}(?:T|$)/.test(value)
  const time = isDate ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? toQuoted(value) : day.format(time)
}

// The beginning of a long URL may look like any other host's; the parser's own form has no such letters.
function toHost(value: unknown): string {
  const isUrl = typeof value === 'string' && URL.canParse(value)
  return isUrl ? toQuoted(new URL(value).host, { ...bounds, characters: 320 }) : toQuoted(value)
}
