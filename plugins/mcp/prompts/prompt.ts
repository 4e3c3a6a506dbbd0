import { z } from 'zod'
import { McpBootError } from '../errors.ts'
import type { Listed } from '../lists.ts'
import type { ToolRegistry } from '../tools/collect.ts'

/** Where the values of an argument come from: a list tool, called as whoever asks. */
export const completionSource = z.strictObject({
  /** The tool, a GET that takes no path argument. */
  tool: z.string(),
  /** Arguments of that call. Default: none. */
  arguments: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  /** The member that holds the list. Default `data`. */
  items: z.string().default('data'),
  /** The member of an item that is the value. Default `id`. */
  value: z.string().default('id'),
  /** Members by which people know the item; matched like the value. */
  labels: z.array(z.string()).readonly().default([]),
  /** Where the answer says that there is more. Default `meta.next_cursor`. */
  more: z.string().default('meta.next_cursor'),
})

export type CompletionInput = z.input<typeof completionSource>
export type CompletionSource = z.output<typeof completionSource>

/** One piece of a prompt: text of ours, or a document that the reader of the prompt gets as it is. */
export type PromptPart = { readonly text: string } | { readonly resource: string }

type Render = (args: Readonly<Record<string, string | undefined>>) => readonly PromptPart[]

const name = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be 1 to 64 of A-Z a-z 0-9 _ . -')

export const promptSchema = z.strictObject({
  name,
  title: z.string().min(1),
  description: z.string().min(1),
  arguments: z
    .array(
      z.strictObject({
        name,
        title: z.string().min(1).optional(),
        description: z.string().min(1),
        required: z.boolean().default(false),
        complete: completionSource.optional(),
      }),
    )
    .readonly()
    .default([]),
  /** The tools that the prompt makes use of: it is listed to those who can run them all. */
  tools: z.array(z.string()).min(1).readonly(),
  /** The parts of the prompt for these arguments, all in the role of the user. */
  render: z.custom<Render>(value => typeof value === 'function', 'must be a function'),
})

export type PromptSettings = z.output<typeof promptSchema>

/** One prompt: what is listed, and how it is rendered. */
export interface Prompt extends Listed, Pick<PromptSettings, 'description' | 'arguments' | 'render'> {}

/** The prompts of one plugin instance, sorted by name. Throws MCP_ERR_PROMPT where one is not possible. */
export function createPrompts(
  settings: readonly PromptSettings[],
  registry: ToolRegistry,
): readonly Prompt[] {
  const prompts = settings.map(prompt => describePrompt(prompt, registry))
  const sorted = prompts.sort((a, b) => (a.name < b.name ? -1 : 1))
  const twin = sorted.find((prompt, index) => sorted[index - 1]?.name === prompt.name)
  if (twin) throw new McpBootError('MCP_ERR_PROMPT', `Prompt: ${twin.name}. The name stands twice.`)
  return Object.freeze(sorted)
}

/** Throws MCP_ERR_COMPLETION unless the source is a tool that lists without being told what. */
export function checkSource({ tool }: CompletionSource, registry: ToolRegistry): void {
  const found = registry.find(tool)
  if (found?.method !== 'GET' || found.destructive || found.pathNames.length > 0)
    throw new McpBootError('MCP_ERR_COMPLETION', `Tool: ${tool}.`)
}

function describePrompt(settings: PromptSettings, registry: ToolRegistry): Prompt {
  const tools = settings.tools.map(toolName => {
    const tool = registry.find(toolName)
    if (!tool)
      throw new McpBootError('MCP_ERR_PROMPT', `Prompt: ${settings.name}. Unknown tool: ${toolName}.`)
    return tool
  })
  for (const { complete } of settings.arguments) if (complete) checkSource(complete, registry)
  const { name: promptName, title, description } = settings
  const args = settings.arguments.map(({ complete: _complete, ...argument }) => argument)
  const old = args.map(({ title: _title, ...argument }) => argument)
  return Object.freeze({
    name: promptName,
    description,
    arguments: settings.arguments,
    render: settings.render,
    scopes: [...new Set(tools.flatMap(tool => tool.scopes))].sort(),
    permissions: [...new Set(tools.flatMap(tool => tool.permissions))].sort(),
    json: JSON.stringify({ name: promptName, title, description, arguments: args }),
    json202503: JSON.stringify({ name: promptName, description, arguments: old }),
  })
}
