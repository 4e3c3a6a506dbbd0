/**
 * JSON as a column of type jsonb takes it. PostgreSQL refuses NUL and halves of surrogate pairs, which a text of
 * JavaScript may hold: whoever reads texts removes them, and what is overlooked must not make a write fail.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, member) =>
    typeof member === 'string' ? member.replaceAll('\0', '').toWellFormed() : member,
  )
}
