/**
 * JSON as a column of type jsonb takes it. PostgreSQL refuses NUL and halves of surrogate pairs, which a text of
 * JavaScript may hold: whoever reads texts removes them, and what is overlooked must not make a write fail.
 */
export function toJson(value: unknown): string {
  const json = JSON.stringify(value)
  if (!suspect.test(json)) return json
  return JSON.stringify(value, (_, member) =>
    typeof member === 'string' ? member.replaceAll('\0', '').toWellFormed() : member,
  )
}

/** How JSON.stringify prints both, and what is spelled like it: without them no function is called for each member. */
const suspect = /\\u(?:0000|d[89a-f])/
