import { type Candidate, mostValues, rankCandidates } from '../completion/rank.ts'
import { rpcCodes } from '../errors.ts'
import { coversScopes } from '../lists.ts'
import { isObject } from '../message.ts'
import { type Outcome, toError } from '../outcome.ts'
import type { CompletionSource } from '../prompts/prompt.ts'
import type { Server } from '../server.ts'
import { toScopeRefusal } from '../tools/to-result.ts'
import type { Method, MethodContext } from './method.ts'
import { readJson } from './run-call.ts'

/**
 * Suggests values for an argument of a prompt or of a resource template, out of what the caller can list
 * (MCP 2026-07-28, server/utilities/completion).
 */
export const completionComplete: Method = {
  eras: ['modern', 'handshake'],
  isCacheable: false,
  isAvailable: hasCompletions,
  async run(context) {
    const { ref, argument } = context.params
    if (!isObject(ref) || !isObject(argument)) return refuse('ref and argument must be objects')
    const { name, value } = argument
    if (typeof name !== 'string' || typeof value !== 'string')
      return refuse('argument needs a name and a value')
    const source = findSource(context.server, ref, name)
    if (source === undefined) return refuse('unknown ref or argument')
    return source === null ? toResult([], { total: 0, hasMore: false }) : complete(source, value, context)
  },
}

/** True when there is an argument to complete: a prompt's, or a variable of a resource template. */
export function hasCompletions({ prompts, resources }: Server): boolean {
  return resources.templates.length > 0 || prompts.some(prompt => prompt.arguments.length > 0)
}

// Undefined: there is no such argument. Null: there is, and nothing to suggest for it.
function findSource(
  { prompts, resources }: Server,
  ref: Readonly<Record<string, unknown>>,
  name: string,
): CompletionSource | null | undefined {
  if (ref.type === 'ref/prompt') {
    const argument = prompts
      .find(prompt => prompt.name === ref.name)
      ?.arguments.find(known => known.name === name)
    return argument && (argument.complete ?? null)
  }
  if (ref.type !== 'ref/resource' || typeof ref.uri !== 'string') return undefined
  const resource = resources.findTemplate(ref.uri)
  return resource?.template.names.includes(name) ? (resource.complete.get(name) ?? null) : undefined
}

async function complete(source: CompletionSource, typed: string, context: MethodContext): Promise<Outcome> {
  const tool = context.server.registry.find(source.tool)
  if (!tool) return refuse('unknown ref or argument')
  if (!coversScopes(context.caller, tool)) return toScopeRefusal(tool)
  const read = await readJson({ tool, args: source.arguments, context }, 'completion')
  // Who may not list has nothing to choose from; that is no reason to fail while somebody types.
  if ('outcome' in read)
    return read.outcome.kind === 'text' ? toResult([], { total: 0, hasMore: false }) : read.outcome
  const values = rankCandidates(toCandidates(read.json, source), typed)
  const more = valueAt(read.json, source.more)
  const isCut = more !== null && more !== undefined
  return toResult(values.slice(0, mostValues), {
    total: isCut ? null : values.length,
    hasMore: isCut || values.length > mostValues,
  })
}

function toCandidates(body: unknown, { items, value, labels }: CompletionSource): readonly Candidate[] {
  const list = valueAt(body, items)
  if (!Array.isArray(list)) return []
  return list.flatMap(item => {
    const found = valueAt(item, value)
    if (typeof found !== 'string') return []
    const texts = labels.map(label => valueAt(item, label)).filter(text => typeof text === 'string')
    return [{ value: found, labels: texts }]
  })
}

// `total` is left out where the list has further pages: how many of those would fit is not known.
function toResult(
  values: readonly string[],
  { total, hasMore }: { total: number | null; hasMore: boolean },
): Outcome {
  const completion = { values, ...(total !== null && { total }), hasMore }
  return { kind: 'result', members: `"completion":${JSON.stringify(completion)}` }
}

function valueAt(root: unknown, path: string): unknown {
  let value = root
  for (const name of path.split('.'))
    value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return value
}

function refuse(detail: string): Outcome {
  return toError(rpcCodes.invalidParams, `Invalid params: ${detail}`)
}
