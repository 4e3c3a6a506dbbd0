import { problems } from '../problem/problems.ts'

/** The problem document (RFC 9457) that every error is, as JSON Schema. Some codes bring further members. */
export const problemSchema = {
  type: 'object',
  properties: {
    type: { type: 'string', format: 'uri', description: 'A URL that explains the code.' },
    title: { type: 'string', description: 'What the code means, always the same.' },
    status: { type: 'integer', description: 'The HTTP status.' },
    detail: { type: 'string', description: 'What was wrong this time.' },
    code: { type: 'string', enum: Object.keys(problems), description: 'What to program against.' },
    request_id: { type: 'string', description: 'Names this request in the log of whoever runs the service.' },
    errors: {
      type: 'array',
      description: 'With validation_failed: every parameter or member that is wrong.',
      items: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Where it stands, such as `query.limit`.' },
          code: { type: 'string' },
          message: { type: 'string' },
        },
        required: ['path', 'code', 'message'],
      },
    },
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
} as const
