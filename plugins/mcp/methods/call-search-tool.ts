import type { z } from 'zod'
import type { FieldError } from '../errors.ts'
import { isVisible } from '../lists.ts'
import { isObject } from '../message.ts'
import type { Outcome } from '../outcome.ts'
import type { ToolIndex } from '../search/rank-tools.ts'
import { type SearchTool, searchArguments } from '../search/search-tools.ts'
import type { Tool } from '../tools/describe.ts'
import { toTextResult, toToolError } from '../tools/to-result.ts'
import { callTool, toNoArguments } from './call-tool.ts'
import { toListPermissions } from './list-permissions.ts'
import type { MethodContext } from './method.ts'
import { observeCall } from './observe-call.ts'

export interface SearchCall {
  readonly name: SearchTool
  /** As sent. */
  readonly args: unknown
  readonly index: ToolIndex
}

/** Runs one of the three tools that stand for all others, within what the caller may use. */
export function callSearchTool(call: SearchCall, context: MethodContext): Outcome | Promise<Outcome> {
  const { name, args } = call
  const watched = (run: () => Promise<Outcome>) => observeCall({ tool: name, context }, run)
  if (!isObject(args)) return watched(async () => toNoArguments())
  switch (name) {
    case 'search_tools': {
      const parsed = searchArguments[name].safeParse(args)
      return watched(async () =>
        parsed.success ? await search(call, parsed.data, context) : refuse(parsed.error, context),
      )
    }
    case 'describe_tool': {
      const parsed = searchArguments[name].safeParse(args)
      return watched(async () =>
        parsed.success ? await describe(parsed.data.name, context) : refuse(parsed.error, context),
      )
    }
    case 'call_tool': {
      const parsed = searchArguments[name].safeParse(args)
      if (!parsed.success) return watched(async () => refuse(parsed.error, context))
      // As if it had been called by its name, confirmation included; it is that tool which is watched.
      const run = () => callTool(parsed.data.name, parsed.data.arguments, context)
      return context.server.registry.find(parsed.data.name) ? run() : watched(async () => await run())
    }
  }
}

async function search(
  { index }: SearchCall,
  { query, limit }: z.output<typeof searchArguments.search_tools>,
  context: MethodContext,
): Promise<Outcome> {
  const visible = await toVisible(context)
  if ('outcome' in visible) return visible.outcome
  const found = index.search(query, visible.isVisible)
  const tools = found
    .slice(0, limit)
    .map(({ name, title, description, signature }) => ({ name, title, description, arguments: signature }))
  const text = JSON.stringify({ tools, total: found.length })
  return toTextResult(text, { isStructured: isStructured(context) })
}

async function describe(name: string, context: MethodContext): Promise<Outcome> {
  const visible = await toVisible(context)
  if ('outcome' in visible) return visible.outcome
  const tool = context.server.registry.find(name)
  if (tool && visible.isVisible(tool))
    return toTextResult(isStructured(context) ? tool.json : tool.json202503, { isStructured: false })
  const detail = 'There is no such tool among those that you may use. search_tools finds them.'
  return toToolError({ code: 'not_found', detail, requestId: String(context.request.id) })
}

async function toVisible(
  context: MethodContext,
): Promise<{ readonly isVisible: (tool: Tool) => boolean } | { readonly outcome: Outcome }> {
  const listed = await toListPermissions(context)
  if ('outcome' in listed) return listed
  const rights = { caller: context.caller, permissions: listed.permissions }
  return { isVisible: tool => isVisible(tool, rights) }
}

function isStructured({ era }: MethodContext): boolean {
  return era.version >= '2025-06-18'
}

function refuse({ issues }: z.ZodError, { request }: MethodContext): Outcome {
  const errors = issues.map(toFieldError)
  const detail = `${errors.map(({ message }) => message).join('; ')}.`
  return toToolError({ code: 'validation_failed', detail, requestId: String(request.id), errors })
}

function toFieldError({ path, code, message, ...issue }: z.core.$ZodIssue): FieldError {
  const unknown = 'keys' in issue && Array.isArray(issue.keys) ? issue.keys.map(String) : []
  const field = [...path, ...unknown].join('.')
  return { path: field, code, message: `${field} ${message}` }
}
