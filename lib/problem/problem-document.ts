import type { Problem } from './problem.ts'
import type { ProblemCode } from './problems.ts'

/** The media type of every error, RFC 9457 section 3. */
export const problemMediaType = 'application/problem+json'

/**
 * The document of a problem as text. It is printed here and sent as it is, because a route that declares a
 * schema for one of its 4xx answers would otherwise have its serializer drop the members that it does not name.
 */
export function toProblemDocument(
  problem: Problem,
  { requestId, publicUrl }: { requestId: string; publicUrl: string },
): string {
  const members = {
    type: toProblemType(problem.code, publicUrl),
    title: problem.title,
    status: problem.status,
    detail: problem.detail,
    code: problem.code,
    request_id: requestId,
    errors: problem.errors,
  }
  // Twice: first for the order, and last because nothing may take the place of these.
  return JSON.stringify({ ...members, ...problem.extra, ...members })
}

/** The URL that `GET /errors` explains: absolute, since RFC 9457 section 3.1.1 advises against relative ones. */
export function toProblemType(code: ProblemCode, publicUrl: string): string {
  return `${publicUrl}/errors#${code}`
}
