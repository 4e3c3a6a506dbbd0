import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import Fastify, { type FastifyInstance } from 'fastify'
import { mcp } from '../../plugins/mcp/index.ts'
import { legacy } from './toy-client.ts'
import { toyOptions } from './toy-notes.ts'

export interface Described {
  readonly input: Record<string, unknown>
  readonly output: Record<string, unknown> | undefined
  readonly acceptsInput: ValidateFunction
  /** Undefined where the tool has no output schema. */
  readonly acceptsOutput: ValidateFunction | undefined
}

/**
 * How a route with this schema is described in tools/list, both sides compiled as JSON Schema 2020-12 in strict
 * mode. Nothing is ever validated by the route itself.
 */
export async function describe(
  schema: object,
  {
    url = '/things',
    method = 'POST',
    shared = [],
  }: { url?: string; method?: string; shared?: readonly object[] } = {},
): Promise<Described> {
  const app = Fastify()
  try {
    await app.register(mcp, { ...toyOptions, permissions: undefined })
    app.setValidatorCompiler(() => () => true)
    app.setSerializerCompiler(() => () => '')
    for (const one of shared) app.addSchema(one)
    addRoute(app, { method, url, schema })
    const { tools } = (await legacy(app, 'tools/list')).json().result
    const { inputSchema: input, outputSchema: output } = tools[0]
    return { input, output, acceptsInput: compile(input), acceptsOutput: output && compile(output) }
  } finally {
    await app.close()
  }
}

function addRoute(
  app: FastifyInstance,
  { method, url, schema }: { method: string; url: string; schema: object },
) {
  const required = { operationId: 'thing', summary: 'A thing', response: { 204: {} } }
  app.route({
    method,
    url,
    schema: { ...required, ...schema },
    config: { scopes: [], mcp: { destructive: false } },
    handler: async () => ({}),
  })
}

function compile(schema: object): ValidateFunction {
  // Several types in one, required names without properties, open tuples: legal, and only unusual to strict mode.
  const lenient = { strictTypes: false, strictRequired: false, strictTuples: false }
  const ajv = new Ajv2020({ strict: true, ...lenient, allErrors: true })
  formats.default(ajv)
  ajv.addVocabulary(['x-mcp-header', 'example'])
  return ajv.compile(schema)
}
