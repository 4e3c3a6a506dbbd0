import type { problemSchema } from './problem-schema.ts'

interface Operation {
  operationId?: string
  parameters?: object[]
  requestBody?: object
  responses: Record<string, { description: string; headers?: object; content?: object }>
}

interface Document {
  readonly paths?: object | undefined
  readonly components?: { readonly schemas?: object | undefined } | undefined
}

export interface Completion {
  readonly problem: typeof problemSchema
  /** Of each operation, by its id, what its declaration says beyond JSON. */
  readonly media: ReadonlyMap<
    string,
    { readonly consumes: readonly string[]; readonly produces: readonly string[] }
  >
}

/**
 * Adds what is the same everywhere and is declared nowhere: the workspace's header, the answer to what went wrong,
 * the headers of answers; and bodies that are not JSON. Changes the operations of the document that it is given.
 */
export function completeDocument<Given extends Document>(
  document: Given,
  { problem, media }: Completion,
): Given & { components: { schemas: { Problem: typeof problemSchema } } } {
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const operation of Object.values(item) as Operation[]) complete(path, operation, media)
  }
  const schemas = { ...document.components?.schemas, Problem: problem }
  return { ...document, components: { ...document.components, schemas } }
}

function complete(path: string, operation: Operation, media: Completion['media']): void {
  const { consumes = [], produces = [] } = media.get(operation.operationId ?? '') ?? {}
  if (consumes.length > 0) {
    operation.requestBody = { required: true, content: toContent(consumes) }
  }
  for (const [status, response] of Object.entries(operation.responses)) {
    if (status === '200' && produces.length > 0) response.content = toContent(produces)
    const headers = headersOf(status)
    if (headers) response.headers = headers
  }
  if (!organizationPaths.test(path)) {
    operation.parameters = [...(operation.parameters ?? []), { $ref: '#/components/parameters/Workspace' }]
  }
  operation.responses.default = {
    description:
      'What went wrong, as a problem document (RFC 9457). Its `code` says what to do: see /errors.',
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  }
}

/** What acts on the organization needs no workspace. */
const organizationPaths = /^\/api\/v1\/(me|workspaces|guide)\b/

function toContent(types: readonly string[]): object {
  return Object.fromEntries(types.map(type => [type, {}]))
}

function headersOf(status: string): object | null {
  if (status !== '201' && status !== '202') return null
  return { Location: { description: 'The URL of what was begun or created.', schema: { type: 'string' } } }
}
