import { z } from 'zod'
import { McpBootError } from '../errors.ts'
import type { Listed } from '../lists.ts'
import type { ToolRegistry } from '../tools/collect.ts'

/** How many tools one search finds at most, and unless it says how many. */
const mostFound = 50
const usuallyFound = 10

const toolName = z.string().describe('The name of a tool, as search_tools gives it.')

/** The arguments of the three tools by which all others are found and called. */
export const searchArguments = {
  search_tools: z.strictObject({
    query: z.string().max(500).describe('Words of what is to be done. Empty: all tools, by name.'),
    limit: z
      .int()
      .min(1)
      .max(mostFound)
      .default(usuallyFound)
      .describe(`How many at most; default ${usuallyFound}.`),
  }),
  describe_tool: z.strictObject({ name: toolName }),
  call_tool: z.strictObject({
    name: toolName,
    arguments: z
      .record(z.string(), z.unknown())
      .default({})
      .describe('Its arguments, as describe_tool says.'),
  }),
} as const

export type SearchTool = keyof typeof searchArguments

const found = z.object({
  tools: z.array(
    z.object({ name: z.string(), title: z.string(), description: z.string(), arguments: z.string() }),
  ),
  total: z.int().describe('How many tools fit, of which these are the best.'),
})

const texts: Readonly<Record<SearchTool, { readonly title: string; readonly description: string }>> = {
  search_tools: {
    title: 'Search tools',
    description:
      'Finds tools by words of their names, titles and descriptions. This server has more tools than it lists: search first, then call one with call_tool. Each is given with its arguments in short; describe_tool has all about them.',
  },
  describe_tool: {
    title: 'Describe a tool',
    description: 'All about one tool: its description, the schemas of its arguments and of its result.',
  },
  call_tool: {
    title: 'Call a tool',
    description:
      'Calls one tool by its name, with its arguments. The result, the errors and the confirmation that some tools need are those of that tool.',
  },
}

export function isSearchTool(name: string): name is SearchTool {
  return Object.hasOwn(searchArguments, name)
}

/**
 * The three tools that stand for all in a list of tools, to everybody. Throws MCP_ERR_TOOL_NAME_TAKEN where a route has
 * the name of one.
 */
export function listSearchTools({ tools }: ToolRegistry): readonly Listed[] {
  const twin = tools.find(({ name }) => isSearchTool(name))
  if (twin) {
    const detail = `Name: ${twin.name}. Route: ${twin.method} ${twin.url}. The option listing: 'search' needs it.`
    throw new McpBootError('MCP_ERR_TOOL_NAME_TAKEN', detail)
  }
  return (['call_tool', 'describe_tool', 'search_tools'] as const).map(toListed)
}

function toListed(name: SearchTool): Listed {
  const inputSchema = toSchema(searchArguments[name], 'input')
  const readOnly = name !== 'call_tool'
  const annotations = {
    readOnlyHint: readOnly,
    destructiveHint: !readOnly,
    idempotentHint: readOnly,
    // What is called through it may be anything.
    openWorldHint: !readOnly,
  }
  const outputSchema = name === 'search_tools' ? toSchema(found, 'output') : undefined
  const { title, description } = texts[name]
  return {
    name,
    scopes: [],
    permissions: [],
    json: JSON.stringify({ name, title, description, inputSchema, outputSchema, annotations }),
    json202503: JSON.stringify({ name, description, inputSchema, annotations }),
  }
}

function toSchema(schema: z.ZodType, io: 'input' | 'output'): object {
  const { $schema: _dialect, ...own } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' })
  return own
}
