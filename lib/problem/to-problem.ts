import { isUnavailable } from './is-unavailable.ts'
import { Problem, type ProblemCode, problem } from './problem.ts'

/**
 * Turns whatever was thrown into what the caller is told. Errors that are not meant for callers become
 * `internal_error`, with nothing of theirs in it, or `unavailable` when something that we depend on is away.
 */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  // A connection that breaks while its body is read is the client's, though it has the code of one of ours.
  const isOfRequest = isHttpError(error) && error.statusCode < 500
  if (!isOfRequest && isUnavailable(error)) return toUnavailable(error)
  if (!isHttpError(error)) return toInternal(error)

  const known = byFrameworkCode[error.code ?? '']
  if (known) return problem(known.code, known.detail, { cause: error })
  const code = byStatus[error.statusCode]
  return code
    ? problem(code, 'The request could not be served as it was sent.', { cause: error })
    : toInternal(error)
}

/** Errors of the framework that a request causes, and what to say instead of its messages, which echo input. */
const byFrameworkCode: Readonly<Record<string, { code: ProblemCode; detail: string }>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: {
    code: 'malformed_json',
    detail: 'The body is not valid JSON, or has a member such as __proto__, which is not accepted.',
  },
  FST_ERR_CTP_EMPTY_JSON_BODY: {
    code: 'malformed_json',
    detail: 'The body is empty although Content-Type announces JSON.',
  },
  FST_ERR_CTP_BODY_TOO_LARGE: {
    code: 'payload_too_large',
    detail: 'The body is larger than this URL accepts.',
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'unsupported_media_type',
    detail: 'This URL does not accept a body of that Content-Type.',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'bad_request',
    detail: 'The body does not have the length that Content-Length announces.',
  },
  FST_ERR_BAD_URL: { code: 'bad_request', detail: 'The URL is not correctly encoded.' },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'uri_too_long', detail: 'A part of the path is too long.' },
  FST_ERR_HANDLER_TIMEOUT: { code: 'unavailable', detail: 'The request took too long and was given up.' },
}

const byStatus: Readonly<Record<number, ProblemCode>> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  409: 'conflict',
  410: 'gone',
  412: 'precondition_failed',
  413: 'payload_too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
  429: 'rate_limited',
  431: 'headers_too_large',
  503: 'unavailable',
}

/** What Fastify and its plugins put on an error. */
interface HttpError extends Error {
  readonly statusCode: number
  readonly code?: string
}

function isHttpError(error: unknown): error is HttpError {
  return error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
}

function toUnavailable(cause: unknown): Problem {
  const detail = 'Something that this API depends on does not answer. Try again in a moment.'
  return problem('unavailable', detail, { headers: { 'retry-after': '5' }, cause })
}

function toInternal(cause: unknown): Problem {
  return problem('internal_error', 'The request failed on our side. Quote request_id when you report it.', {
    cause,
  })
}
