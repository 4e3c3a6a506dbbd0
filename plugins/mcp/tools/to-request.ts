import type { FieldError } from '../errors.ts'
import type { ArgumentPlace, Tool } from './describe.ts'
import { headerArguments } from './input-schema.ts'

/** Stands for path values that cannot be sent, where only the caller's rights are asked for. */
const placeholder = '-'

/** What `inject` needs, identity and address aside. */
export interface ToolRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON, or null for no body. */
  readonly payload: string | null
}

export type ToolRequestOrRefusal = { readonly request: ToolRequest } | { readonly refusal: FieldError }

const headerByArgument = new Map([...headerArguments].map(([header, argument]) => [argument, header]))

/**
 * Spreads the arguments over path, query, body and headers. Pure. It validates nothing, the route does; it refuses
 * only what no request could say: a path value that would lead elsewhere, or an argument that nothing would read.
 */
export function toRequest(tool: Tool, args: Readonly<Record<string, unknown>>): ToolRequestOrRefusal {
  const query: string[] = []
  const body: string[] = []
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(args)) {
    const place = tool.places.get(name) ?? tool.undeclared.place
    if (!tool.places.has(name) && !tool.undeclared.isChecked)
      return refuse(name, 'unrecognized', 'is not an argument of this tool')
    if (value === undefined || place === 'path') continue
    if (value === null && isLeftOut(tool, name)) continue
    const problem = findValueProblem(value, place)
    if (problem) return refuse(name, 'invalid', problem)
    if (place === 'query') addToQuery(query, name, value)
    else if (place === 'body') body.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`)
    else if (isHeaderValue(value)) headers[headerByArgument.get(name) ?? name] = value
    else return refuse(name, 'invalid', 'must be a text of printable ASCII')
  }
  const path = toPath(tool, args)
  if ('refusal' in path) return path
  for (const name of tool.required)
    if (isHeaderMissing(tool, name, headers)) return refuse(name, 'required', 'is required')
  const sendsBody = tool.hasBody || body.length > 0
  if (sendsBody) headers['content-type'] = 'application/json'
  return {
    request: {
      url: query.length > 0 ? `${path.url}?${query.join('&')}` : path.url,
      headers,
      payload: sendsBody ? `{${body.join(',')}}` : null,
    },
  }
}

// Some clients fill what is optional with null, which neither a query nor a header can say.
function isLeftOut({ places, required }: Tool, name: string): boolean {
  const place = places.get(name)
  return (place === 'query' || place === 'header') && !required.has(name)
}

// The route would name the header, which no argument is called like.
function isHeaderMissing({ places }: Tool, name: string, headers: ToolRequest['headers']): boolean {
  return places.get(name) === 'header' && headers[headerByArgument.get(name) ?? name] === undefined
}

/** The tool's request without arguments, to find out whether the caller may make it at all. */
export function toBareRequest(tool: Tool): ToolRequest {
  const args = Object.fromEntries(tool.pathNames.map(name => [name, placeholder]))
  const path = toPath(tool, args)
  return { url: 'url' in path ? path.url : tool.url, headers: {}, payload: null }
}

type Path = { readonly url: string } | { readonly refusal: FieldError }

function toPath(tool: Tool, args: Readonly<Record<string, unknown>>): Path {
  let url = ''
  for (const { text, name } of tool.path) {
    url += text
    if (name === null) continue
    const value = Object.hasOwn(args, name) ? args[name] : undefined
    if (value === undefined) return refuse(name, 'required', 'is required')
    if (typeof value === 'object') return refuse(name, 'invalid', 'must be a text')
    const problem = findPathProblem(String(value))
    if (problem) return refuse(name, 'invalid', problem)
    url += encodeURIComponent(String(value))
  }
  return { url }
}

// encodeURIComponent leaves dots alone, and URL parsers resolve `.` and `..`, encoded or not (WHATWG URL, path state).
function findPathProblem(text: string): string | null {
  if (text === '') return 'must not be empty'
  if (text.length > 1_000) return 'is too long'
  if (!text.isWellFormed()) return 'is not well-formed Unicode'
  const dots = text.replaceAll(/%2e/gi, '.')
  return dots === '.' || dots === '..' ? 'must not be a dot or two' : null
}

// How deep a value may be nested: printing it needs a call per level, and no schema of a route goes as deep.
const deepest = 200

// A list without entries leaves no trace in a query, and what is no value there must not become the word for it.
function findValueProblem(value: unknown, place: ArgumentPlace): string | null {
  if (isTooDeep(value)) return 'is nested too deep'
  if (place !== 'query') return null
  if (value === null) return 'must not be null'
  if (!Array.isArray(value)) return null
  if (value.length === 0) return 'must not be an empty list'
  return value.includes(null) ? 'must not hold null' : null
}

function isTooDeep(value: unknown): boolean {
  if (typeof value !== 'object') return false
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return true
    level = level.flatMap(item => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
  return false
}

function addToQuery(query: string[], name: string, value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) addToQuery(query, name, Array.isArray(item) ? JSON.stringify(item) : item)
    return
  }
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  query.push(`${encode(name)}=${encode(text)}`)
}

// With the apostrophe encoded as well, which is how a URL parser prints a query (WHATWG URL, special-query set).
function encode(text: string): string {
  const encoded = encodeURIComponent(text.toWellFormed())
  return encoded.includes("'") ? encoded.replaceAll("'", '%27') : encoded
}

function isHeaderValue(value: unknown): value is string {
  return typeof value === 'string' && /^[\x20-\x7e]{0,1000}$/.test(value)
}

function refuse(path: string, code: string, message: string): { readonly refusal: FieldError } {
  return { refusal: { path, code, message: `${path} ${message}` } }
}
