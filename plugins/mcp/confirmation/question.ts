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

/**
 * Compiles a route's question, such as `Delete the e-mail {data.subject} from {data.from}, received
 * {data.received_at:date}?`. A placeholder is a path into the preview, or into the arguments when it begins with
 * `arguments.`; `:date` prints a day. Throws an Error for a malformed template.
 *
 * Values are mostly third-party text, and the person decides by this sentence: each is quoted, on one line, without
 * characters that hide or reorder text, and shortened.
 */
export function compileQuestion(template: string): Question {
  const parts = template.split(/\{([^{}]*)\}/)
  if (parts.some((part, index) => index % 2 === 0 && /[{}]/.test(part)))
    throw new Error('a brace has no partner')
  const pieces = parts.map((part, index) => (index % 2 === 0 ? () => part : compilePlaceholder(part)))
  return source => pieces.map(piece => piece(source)).join('')
}

/** The question of a route that has none of its own: what it is called, and what with. */
export function askPlainly(title: string, args: QuestionSource['arguments']): string {
  const given = Object.entries(args).map(
    ([name, value]) => `${clean(name).slice(0, shown)} ${toQuoted(value)}`,
  )
  return given.length > 0 ? `${title}? With: ${given.slice(0, 10).join(', ')}.` : `${title}?`
}

function compilePlaceholder(placeholder: string): Question {
  const match = /^([A-Za-z_][\w.]*)(?::(date))?$/.exec(placeholder)
  if (!match) throw new Error(`{${placeholder}} is not a path such as {data.subject}`)
  const path = (match[1] ?? '').split('.')
  const [root, ...rest] = path
  const print = match[2] === 'date' ? toDay : toQuoted
  return ({ preview, arguments: args }) =>
    print(root === 'arguments' ? valueAt(args, rest) : valueAt(preview, path))
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return value
}

/** A value as a question shows it. */
export function toQuoted(value: unknown): string {
  if (value === undefined || value === null || value === '') return '(none)'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return toQuotedList(value)
  const text = clean(typeof value === 'string' ? value : JSON.stringify(value))
  return text === '' ? '(blank)' : `“${shorten(text)}”`
}

function toQuotedList(values: readonly unknown[]): string {
  if (values.length === 0) return '(none)'
  const first = values.slice(0, 5).map(toQuoted).join(', ')
  return values.length > 5 ? `${first} and ${values.length - 5} more` : first
}

// What hides or reorders text goes: controls and line ends become a space; bidirectional marks, zero-width and other
// invisible format characters vanish, save the two joiners that scripts and emoji are spelled with and the Arabic
// signs that are seen. The quotation marks used here are flattened, so that no value can close its own quotation.
function clean(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/(?!\u200c|\u200d|[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2])\p{Cf}/gu, '')
    .replaceAll(/[“”]/g, '"')
    .trim()
}

function shorten(text: string): string {
  // By what a reader sees as one character: a cut inside an accent or an emoji would show something else.
  const characters = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text.slice(0, 4_000))]
  if (characters.length <= shown && text.length <= 4_000) return boundMarks(text)
  return `${boundMarks(
    characters
      .slice(0, shown - 1)
      .map(({ segment }) => segment)
      .join(''),
  )}…`
}

// A pile of combining marks is one character to a reader and covers the lines around it.
function boundMarks(text: string): string {
  return text.replaceAll(/(\p{M}{4})\p{M}+/gu, '$1')
}

const day = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

function toDay(value: unknown): string {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? toQuoted(value) : day.format(time)
}
