import { askPlainly, compileQuestion, type Question, toShownMembers } from '../confirmation/question.ts'
import { type BootErrorCode, type Fail, McpBootError } from '../errors.ts'
import type { MirroredParameter } from '../headers.ts'
import type { Listed } from '../lists.ts'
import { toSignature } from '../search/signature.ts'
import type { CollectedRoute } from './collect.ts'
import { toConstraintHeaders } from './constraint-headers.ts'
import { type ToolInput, toInputSchema, toPathNames } from './input-schema.ts'
import { createSchemaConverter } from './json-schema.ts'
import { findMirroredParameters } from './mirrored-parameters.ts'
import { checkDocument, hasMediaTypes, toAnswerMembers, toOutputSchema } from './output-schema.ts'
import { type ToolSettings, toAnnotations, toSettings, toSupplied } from './settings.ts'
import { isTyped } from './typed-schema.ts'

/** Where an argument goes in the request. */
export type ArgumentPlace = 'path' | 'query' | 'body' | 'header'

/** One tool: everything that does not depend on the caller, computed once at boot. */
export interface Tool extends Listed {
  readonly title: string
  readonly description: string
  /** False for a route that is only a resource: it is dispatched to, never listed or called. */
  readonly isTool: boolean
  readonly resource: ToolSettings['resource']
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The route's URL pattern, prefix included: `/api/v1/emails/:id`. */
  readonly url: string
  /** The same in pieces, as a request has it: a text, then the value of a parameter; null: none. */
  readonly path: readonly { readonly text: string; readonly name: string | null }[]
  readonly readOnly: boolean
  readonly destructive: boolean
  /** How its route is reached. */
  readonly dispatch: 'inject' | 'direct'
  /** Milliseconds; null: the plugin's own. */
  readonly deadline: number | null
  /** The URL's parameters, in order. */
  readonly pathNames: readonly string[]
  readonly places: ReadonlyMap<string, ArgumentPlace>
  /** Arguments that no call can do without. */
  readonly required: ReadonlySet<string>
  /** Headers that the route requires, and that a confirmation sends by itself. */
  readonly supplied: readonly string[]
  /** Where an argument goes that is not declared, and whether a schema there can refuse it. */
  readonly undeclared: { readonly place: 'query' | 'body'; readonly isChecked: boolean }
  readonly hasBody: boolean
  /** What the person is asked before a destructive tool runs. */
  readonly question: Question
  /** The members of the preview that it shows. */
  readonly shownMembers: readonly string[]
  /** Those that a successful answer of this tool can have; null: that is not known. */
  readonly answerMembers: ReadonlySet<string> | null
  /** The GET tool whose answer the question shows; its arguments by name, and this tool's that they take. */
  readonly preview: { readonly tool: string; readonly arguments: ReadonlyMap<string, string> | null } | null
  readonly mirrored: readonly MirroredParameter[]
  /** By which the router finds its route among others of the same URL; null: it needs none. */
  readonly constraintHeaders: Readonly<Record<string, string>> | null
  readonly hasOutputSchema: boolean
  /** Whether the serializer of an answer follows from its status alone. */
  readonly isNoted: boolean
  /** Its arguments in one line. */
  readonly signature: string
  /** Marks the route that owns the tool. */
  readonly key: symbol
}

/** Turns a collected route into a tool, or throws an {@link McpBootError} that names the route. */
export function describeTool(route: CollectedRoute): Tool {
  const fail: Fail = (code, detail) => {
    throw new McpBootError(code, `Route: ${route.method} ${route.url}.${detail && ` ${detail}`}`)
  }
  const method = toMethod(route.method, fail)
  const settings = toSettings(route.mcp, fail)
  const name = toName(settings, route.schema, fail)
  const summary = toText(route.schema.summary) ?? fail('MCP_ERR_ROUTE_SUMMARY', '')
  const scopes = toScopes(route.scopes, fail)
  const pathNames = toPathNames(route.url, fail)
  const annotations = toAnnotations(method, settings)
  const supplied = toSupplied(settings, annotations)
  const { input, output, mirrored } = toSchemas(route, { settings, supplied }, fail)
  const description = toText(route.schema.description) ?? summary
  const title = settings.title ?? summary
  const outputSchema = output ?? undefined
  return Object.freeze({
    name,
    title,
    description,
    method,
    url: route.url,
    path: toPieces(route.url),
    scopes,
    permissions: Object.freeze(route.permission === undefined ? [] : [route.permission]),
    isTool: settings.tool,
    resource: settings.resource,
    readOnly: annotations.readOnlyHint,
    destructive: annotations.destructiveHint,
    dispatch: settings.dispatch ?? route.dispatch,
    deadline: settings.deadline ?? null,
    pathNames,
    places: input.places,
    required: input.required,
    supplied: input.supplied,
    undeclared: input.undeclared,
    hasBody: input.hasBody,
    question: toQuestion(settings, { title, input, fail }),
    shownMembers: toShownMembers(settings.question ?? ''),
    answerMembers: toAnswerMembers(output),
    preview: toPreview(settings),
    mirrored,
    constraintHeaders: toConstraintHeaders(route.constraints, fail),
    hasOutputSchema: output !== null,
    isNoted: isTyped(output) && !hasMediaTypes(route.schema.response),
    signature: toSignature(input.schema),
    key: route.key,
    json: JSON.stringify({ name, title, description, inputSchema: input.schema, outputSchema, annotations }),
    json202503: JSON.stringify({ name, description, inputSchema: input.schema, annotations }),
  })
}

function toSchemas(
  route: CollectedRoute,
  { settings, supplied }: { readonly settings: ToolSettings; readonly supplied: readonly string[] },
  fail: Fail,
) {
  // Each side has definitions of its own: the same zod schema may differ between what is sent and what comes back.
  const attempt = <T>(code: BootErrorCode, work: () => T): T => {
    try {
      return work()
    } catch (error) {
      if (error instanceof McpBootError) throw error
      return fail(code, `${error instanceof Error ? error.message : String(error)}.`)
    }
  }
  const input = attempt('MCP_ERR_ROUTE_SCHEMA', () =>
    toInputSchema(route, { converter: createSchemaConverter(route.shared, 'input'), supplied }, fail),
  )
  const output = attempt('MCP_ERR_ROUTE_SCHEMA', () =>
    settings.tool
      ? toOutputSchema(route, createSchemaConverter(route.shared, 'output'), fail)
      : checkDocument(route, fail),
  )
  const mirrored = attempt('MCP_ERR_ROUTE_HEADER', () => findMirroredParameters(input.schema))
  return { input, output, mirrored }
}

function toQuestion(
  { question, preview }: ToolSettings,
  { title, input, fail }: { readonly title: string; readonly input: ToolInput; readonly fail: Fail },
): Question {
  if (question === undefined) return ({ arguments: args }) => askPlainly(title, args)
  try {
    const hasArgument = (name: string) =>
      input.places.has(name) || input.schema.additionalProperties !== false
    return compileQuestion(question, { hasPreview: preview !== undefined, hasArgument })
  } catch (error) {
    return fail(
      'MCP_ERR_ROUTE_CONFIG',
      `question: ${error instanceof Error ? error.message : String(error)}.`,
    )
  }
}

function toPieces(url: string): Tool['path'] {
  const pieces: { text: string; name: string | null }[] = []
  let text = ''
  for (const [index, segment] of url.split('/').entries()) {
    if (index > 0) text += '/'
    if (segment.startsWith(':') && !segment.startsWith('::')) {
      pieces.push({ text, name: segment.slice(1) })
      text = ''
      // In a URL pattern `::` stands for a colon; what is no ASCII comes encoded from every client.
    } else text += encodeURI(segment.replaceAll('::', ':')).replaceAll('%25', '%')
  }
  return Object.freeze([...pieces, { text, name: null }])
}

function toPreview({ preview }: ToolSettings): Tool['preview'] {
  if (preview === undefined) return null
  const { tool, arguments: args } = preview
  return { tool, arguments: args === undefined ? null : new Map(Object.entries(args)) }
}

function toMethod(method: string, fail: Fail): Tool['method'] {
  switch (method) {
    case 'GET':
    case 'POST':
    case 'PUT':
    case 'PATCH':
    case 'DELETE':
      return method
    default:
      return fail('MCP_ERR_ROUTE_METHOD', '')
  }
}

// 64 characters: clients put a prefix of their own before the name and pass it to model APIs that stop at 64 or 128.
function toName(settings: ToolSettings, schema: CollectedRoute['schema'], fail: Fail): string {
  const name = settings.name ?? toText(schema.operationId)
  if (name === undefined) return fail('MCP_ERR_ROUTE_NAME', '')
  if (!/^[A-Za-z0-9_.-]{1,64}$/.test(name))
    return fail('MCP_ERR_ROUTE_NAME', `Name: ${name} (1 to 64 of A-Z a-z 0-9 _ . -).`)
  return name
}

function toScopes(scopes: unknown, fail: Fail): readonly string[] {
  if (!Array.isArray(scopes)) return fail('MCP_ERR_ROUTE_SCOPES', '')
  // RFC 6749, 3.3: anything else could not stand in a challenge.
  if (!scopes.every(scope => typeof scope === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))) {
    return fail('MCP_ERR_ROUTE_SCOPES', 'A scope is a word of printable ASCII.')
  }
  return Object.freeze([...scopes])
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}
