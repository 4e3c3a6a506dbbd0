import { types } from 'pg'

/**
 * How column values become JavaScript values, the same on both engines: a `timestamptz` an RFC 3339 string in
 * UTC with milliseconds, a `date` the string it is, a `bigint` a number. The rest is the driver's own.
 */
export const columnTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    const parser = format === 'binary' ? undefined : parsers.get(oid)
    return parser ?? types.getTypeParser(oid, format)
  },
}

const parsers = new Map<number, (text: string) => unknown>([
  [types.builtins.INT8, parseBigint],
  [types.builtins.DATE, text => text],
  [types.builtins.TIMESTAMPTZ, parseTimestamp],
])

function parseBigint(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} does not fit a number`)
  return value
}

/**
 * Sessions run in UTC, so that `2026-01-31 09:30:00.5+00` is what comes; the driver's parser knows the rest.
 */
function parseTimestamp(text: string): string {
  const match = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/.exec(text)
  if (match) return `${match[1]}T${match[2]}.${(match[3] ?? '').slice(0, 3).padEnd(3, '0')}Z`
  const value: unknown = types.getTypeParser(types.builtins.TIMESTAMPTZ)(text)
  return value instanceof Date ? value.toISOString() : text
}
