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

/** What an operation's declaration says beyond JSON. */
export interface OperationFacts {
  /** Media types of the body; none: JSON. */
  readonly consumes: readonly string[]
  /** Media types of the answer; none: JSON. */
  readonly produces: readonly string[]
  /** Whether it acts on one workspace, which a request may have to name. */
  readonly isOfWorkspace: boolean
}

export interface Completion {
  readonly problem: typeof problemSchema
  /** By the operation's id. */
  readonly operations: ReadonlyMap<string, OperationFacts>
}

/**
 * Adds what is the same everywhere and is declared nowhere: the workspace's header, the answer to what went wrong,
 * the headers of answers; and bodies that are not JSON. Changes the operations of the document that it is given.
 */
export function completeDocument<Given extends Document>(
  document: Given,
  { problem, operations }: Completion,
): Given & { components: { schemas: { Problem: typeof problemSchema } } } {
  for (const item of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(item) as Operation[]) {
      const facts = operations.get(operation.operationId ?? '')
      if (facts) complete(operation, facts)
    }
  }
  const schemas = { ...document.components?.schemas, Problem: problem }
  return { ...document, components: { ...document.components, schemas } }
}

function complete(operation: Operation, { consumes, produces, isOfWorkspace }: OperationFacts): void {
  if (consumes.length > 0) {
    operation.requestBody = { required: true, content: toContent(consumes) }
  }
  for (const [status, response] of Object.entries(operation.responses)) {
    if (status === '200' && produces.length > 0) response.content = toContent(produces)
    const headers = headersOf(status)
    if (headers) response.headers = headers
  }
  if (isOfWorkspace) {
    operation.parameters = [...(operation.parameters ?? []), { $ref: '#/components/parameters/Workspace' }]
  }
  operation.responses.default = {
    description:
      'What went wrong, as a problem document (RFC 9457). Its `code` says what to do: see /errors.',
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  }
}

function toContent(types: readonly string[]): object {
  return Object.fromEntries(types.map(type => [type, {}]))
}

function headersOf(status: string): object | null {
  if (status !== '201' && status !== '202') return null
  return { Location: { description: 'The URL of what was begun or created.', schema: { type: 'string' } } }
}
