import type { Fail } from '../errors.ts'
import { isObject } from '../message.ts'
import type { CollectedRoute } from './collect.ts'
import { inPart, type JsonSchema, type SchemaConverter } from './json-schema.ts'

/**
 * The tool's `outputSchema`: that of the route's successful answers, when every one of them is a JSON object; null
 * when one is not (a list at the root, no content). Stops the boot when none is declared, or when one is a file.
 */
export function toOutputSchema(
  route: CollectedRoute,
  converter: SchemaConverter,
  fail: Fail,
): JsonSchema | null {
  refuseProduced(route, { isAllowed: type => type === 'application/json', fail })
  const answers = toSuccessful(route.schema.response)
  if (answers.length === 0) return fail('MCP_ERR_ROUTE_RESPONSE', '')
  const schemas = answers.map(([status, answer]) => {
    if (isNoContent(status, answer)) return null
    const schema = inPart(`response ${status}`, () => converter.convert(toJsonAnswer(answer, fail)))
    if (converter.describesFiles()) fail('MCP_ERR_ROUTE_FILES', `It answers ${status} with a file.`)
    return isObjectSchema(schema, converter) ? schema : null
  })
  if (schemas.some(schema => schema === null)) return null
  const definitions = converter.definitions()
  const [only] = schemas
  // Clients want `type: object` at the root, beside a reference or a choice as well.
  const root = schemas.length === 1 && only ? { type: 'object', ...only } : { type: 'object', anyOf: schemas }
  return Object.keys(definitions).length > 0 ? { ...root, $defs: definitions } : root
}

/**
 * The members that an answer can have; null where that is not known. An object that names some and is silent on others has
 * no others, as Fastify's own serializer has it.
 */
export function toAnswerMembers(output: JsonSchema | null): ReadonlySet<string> | null {
  if (output === null || !isObject(output.properties)) return null
  const names = Object.keys(output.properties)
  const isOpen = ['$ref', 'allOf', 'anyOf', 'oneOf', 'patternProperties'].some(keyword => keyword in output)
  const { additionalProperties = false } = output
  return isOpen || additionalProperties !== false || names.length === 0 ? null : new Set(names)
}

/** What is only a resource may answer with any text, which is what `resources/read` passes on. */
export function checkDocument(route: CollectedRoute, fail: Fail): null {
  refuseProduced(route, { isAllowed: isTextType, fail })
  return null
}

/** True when some answer has a serializer for each media type, which `reply.serialize` does not ask for. */
export function hasMediaTypes(response: unknown): boolean {
  return (
    isObject(response) && Object.values(response).some(answer => isObject(answer) && isObject(answer.content))
  )
}

function isTextType(type: unknown): boolean {
  return /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml)\b)/.test(String(type))
}

function refuseProduced(
  { schema }: CollectedRoute,
  { isAllowed, fail }: { readonly isAllowed: (type: unknown) => boolean; readonly fail: Fail },
): void {
  const { produces } = schema
  if (Array.isArray(produces) && !produces.some(isAllowed))
    fail('MCP_ERR_ROUTE_FILES', `It produces ${produces.join(', ')}.`)
}

function toSuccessful(response: unknown): readonly (readonly [string, unknown])[] {
  if (!isObject(response)) return []
  return Object.entries(response).filter(([status]) => /^2(\d\d|xx)$/i.test(status))
}

function isNoContent(status: string, answer: unknown): boolean {
  return status === '204' || status === '205' || (isObject(answer) && answer.type === 'null')
}

// Fastify's `response[status].content` maps media types to schemas.
function toJsonAnswer(answer: unknown, fail: Fail): unknown {
  if (!isObject(answer) || !isObject(answer.content)) return answer
  const json = answer.content['application/json']
  if (!isObject(json)) return fail('MCP_ERR_ROUTE_FILES', 'An answer is not JSON.')
  return json.schema
}

/** True when everything that the schema takes is an object. */
export function isObjectSchema(schema: unknown, converter: SchemaConverter, depth = 0): boolean {
  if (!isObject(schema) || depth > 10) return false
  if (typeof schema.$ref === 'string') {
    const target = converter.definitions()[schema.$ref.slice('#/$defs/'.length)]
    return isObjectSchema(target, converter, depth + 1)
  }
  if (schema.type !== undefined) return schema.type === 'object'
  const choices = [schema.anyOf, schema.oneOf].flatMap(list => (Array.isArray(list) ? list : []))
  if (choices.length > 0) return choices.every(choice => isObjectSchema(choice, converter, depth + 1))
  const all = Array.isArray(schema.allOf) ? schema.allOf : []
  return all.some(part => isObjectSchema(part, converter, depth + 1))
}
