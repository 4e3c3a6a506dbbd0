import { type ProblemCode, problems } from './problems.ts'

export { type ProblemCode, problems } from './problems.ts'

/** What is wrong with one member of a request: `path` is dotted (`labels.0`), or a header's name. */
export interface FieldError {
  readonly path: string
  readonly code: string
  readonly message: string
}

/** What a problem may carry beyond its code and detail. */
export interface ProblemExtras {
  readonly errors?: readonly FieldError[]
  /** Headers of the answer, such as `Retry-After` or `WWW-Authenticate`; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** Further members of the document, RFC 9457 section 3.2. */
  readonly extra?: Readonly<Record<string, unknown>>
  /** What was caught; it goes to the log and never into the answer. */
  readonly cause?: unknown
}

/** An error that the caller is told about as it stands: RFC 9457. Everything in it but `cause` is public. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly status: number
  /** The same as `status`, under the name by which Fastify reads it. */
  readonly statusCode: number
  readonly title: string
  readonly detail: string
  readonly errors: readonly FieldError[] | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly extra: Readonly<Record<string, unknown>>

  constructor(code: ProblemCode, detail: string, more: ProblemExtras = {}) {
    super(detail, more.cause === undefined ? undefined : { cause: more.cause })
    this.code = code
    this.status = problems[code].status
    this.statusCode = this.status
    this.title = problems[code].title
    this.detail = detail
    this.errors = more.errors
    this.headers = more.headers ?? {}
    this.extra = more.extra ?? {}
  }
}

/** Builds a problem; throw it anywhere below a route. `detail` is a sentence for the caller. */
export function problem(code: ProblemCode, detail: string, more?: ProblemExtras): Problem {
  return new Problem(code, detail, more)
}
