/**
 * Every problem that the API can answer: its code, its HTTP status, its title, and what it means to whoever
 * gets it. The only such list; `GET /errors` shows it.
 */
export const problems = {
  bad_request: {
    status: 400,
    title: 'The request cannot be read',
    meaning: 'The request is not correct HTTP. Correct it before sending it again.',
  },
  malformed_json: {
    status: 400,
    title: 'The body is not valid JSON',
    meaning: 'Send JSON that agrees with Content-Type and Content-Length.',
  },
  validation_failed: {
    status: 400,
    title: 'The request is not valid',
    meaning: 'The member errors names every parameter or member that is wrong, missing or unknown.',
  },
  workspace_required: {
    status: 400,
    title: 'A workspace must be named',
    meaning:
      'You belong to several workspaces, or to none. The member workspaces lists them: name one in X-Workspace-Id.',
  },
  unauthorized: {
    status: 401,
    title: 'A valid access token is required',
    meaning:
      'No token was sent, or it is expired, forged, meant for another resource, or its person may not sign in.',
  },
  forbidden: {
    status: 403,
    title: 'Your role does not allow this',
    meaning:
      'The token covers the operation, your role in this workspace does not. An admin can change your role.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The access token does not cover this',
    meaning: 'WWW-Authenticate lists every scope that the operation needs. Obtain a token with them.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    meaning: 'There is nothing at this URL, or nothing that is visible in this workspace.',
  },
  workspace_not_found: {
    status: 404,
    title: 'Workspace not found',
    meaning: 'You do not belong to the workspace that was named, or it does not exist.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The URL answers other methods, which the header Allow lists.',
  },
  request_timeout: {
    status: 408,
    title: 'The request did not arrive in time',
    meaning: 'The connection was too slow. Send the request again.',
  },
  conflict: {
    status: 409,
    title: 'Conflict with what exists',
    meaning: 'What was asked contradicts a record that exists; detail says which.',
  },
  gone: {
    status: 410,
    title: 'No longer available',
    meaning: 'It was here and has been removed for good.',
  },
  precondition_failed: {
    status: 412,
    title: 'The record has changed',
    meaning: 'The record is not at the version that If-Match names. Read it again, then decide.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    meaning: 'The body is larger than this URL accepts.',
  },
  uri_too_long: {
    status: 414,
    title: 'The URL is too long',
    meaning: 'A part of the path is longer than any id.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The media type is not supported',
    meaning: 'Send the Content-Type that the operation describes, usually application/json.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The idempotency key belongs to another request',
    meaning: 'The same Idempotency-Key came with another method, path, query or body. Use a new key.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    meaning: 'Wait for as many seconds as Retry-After says.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    meaning: 'Send fewer or shorter headers.',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong on our side',
    meaning: 'Quote request_id when you report it. Repeat a write only with the Idempotency-Key that it had.',
  },
  unavailable: {
    status: 503,
    title: 'Not available right now',
    meaning: 'Wait for as many seconds as Retry-After says, then send the request again.',
  },
} as const satisfies Record<string, { status: number; title: string; meaning: string }>

export type ProblemCode = keyof typeof problems
