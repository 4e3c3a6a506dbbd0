import type { ToolResponse } from '../dispatch/sender.ts'

/** What nearly every route answers with. */
const json = 'application/json; charset=utf-8'

/**
 * Why the body, which was read as UTF-8, is no text that could be passed on: the header that says so; null: it is one.
 * Without a media type it is taken for one, as over REST.
 */
export function findBodyProblem({ headers, body }: ToolResponse): string | null {
  if (body === '') return null
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') return `content-encoding ${encoding}`
  const type = headers['content-type']
  if (type === undefined || type === json) return null
  return isText(String(type)) ? null : `content-type ${type}`
}

/** `application/json`, or a `+json` type; not `application/x-ndjson`, which is several texts in one. */
export function isJson({ headers }: ToolResponse): boolean {
  const type = headers['content-type']
  return (
    type === json || (type !== undefined && /^application\/(?:[^;]*\+)?json *(?:;|$)/i.test(String(type)))
  )
}

function isText(type: string): boolean {
  const [mediaType = '', ...parameters] = type.toLowerCase().split(';')
  const charset = parameters.map(text => text.trim()).find(text => text.startsWith('charset='))
  return textTypes.test(mediaType.trim()) && (charset === undefined || utf8.test(charset))
}

const textTypes =
  /^(?:(?:text|message)\/.+|(?:application|image|model)\/[^+]+\+(?:json|xml|yaml)|application\/(?:x-)?(?:json|json5|jsonl|json-seq|json-lines|ndjson|xml|xml-dtd|yaml|toml|javascript|ecmascript|typescript|sql|graphql|sh|www-form-urlencoded))$/

// The second is a part of the first.
const utf8 = /^charset="?(?:utf-?8|us-ascii|ascii)"?$/
