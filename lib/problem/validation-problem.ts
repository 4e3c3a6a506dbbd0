import type { z } from 'zod'
import { type FieldError, type Problem, problem } from './problem.ts'

type Issue = z.core.$ZodIssue

/** How many wrong members one answer names; a body may have a hundred thousand. */
const namedAtMost = 100

/** What zod found wrong with a part of the request (`body`, `query`, `path` or `headers`), as a problem. */
export function toValidationProblem(error: z.core.$ZodError, part: string, input: unknown): Problem {
  const errors = error.issues.flatMap(issue => toFieldErrors(issue, input)).slice(0, namedAtMost)
  const names = [...new Set(errors.map(({ path }) => path).filter(Boolean))]
    .slice(0, 5)
    .map(name => name.slice(0, 60))
  const verdict = `The ${part} ${part === 'headers' ? 'are' : 'is'} not valid`
  const detail = names.length === 0 ? `${verdict}.` : `${verdict}: ${names.join(', ')}.`
  return problem('validation_failed', detail, { errors })
}

function toFieldErrors(issue: Issue, input: unknown): FieldError[] {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(key =>
      toFieldError([...path, key], 'unknown_member', 'is not a member that is known here'),
    )
  }
  if (issue.code === 'invalid_type' && valueAt(input, issue.path) === undefined) {
    return [toFieldError(path, 'required', 'is required')]
  }
  return [toFieldError(path, issue.code, issue.message)]
}

function toFieldError(path: readonly string[], code: string, message: string): FieldError {
  return { path: path.join('.'), code, message }
}

/** Zod does not say whether a member of the wrong type was there at all. */
function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Reflect.get(value, key)
  }
  return value
}
