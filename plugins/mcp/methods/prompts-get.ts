import { rpcCodes } from '../errors.ts'
import { coversScopes, isVisible } from '../lists.ts'
import { isObject } from '../message.ts'
import { type Outcome, toError } from '../outcome.ts'
import type { Prompt } from '../prompts/prompt.ts'
import { toScopeRefusal } from '../tools/to-result.ts'
import { toListPermissions } from './list-permissions.ts'
import type { Method, MethodContext } from './method.ts'
import { readResource } from './resources-read.ts'

/** Renders one prompt with the arguments given (MCP 2026-07-28, server/prompts, Getting a Prompt). */
export const promptsGet: Method = {
  eras: ['modern', 'handshake'],
  isCacheable: false,
  isAvailable: ({ prompts }) => prompts.length > 0,
  async run(context) {
    const { params, server, caller } = context
    const { name } = params
    if (typeof name !== 'string') return refuse('name must be a string')
    const prompt = server.prompts.find(known => known.name === name)
    if (!prompt) return refuse(`unknown prompt: ${name.slice(0, 100)}`)
    if (!coversScopes(caller, prompt)) return toScopeRefusal(prompt)
    const listed = await toListPermissions(context)
    if ('outcome' in listed) return listed.outcome
    if (!isVisible(prompt, { caller, permissions: listed.permissions }))
      return refuse(`unknown prompt: ${prompt.name}`)
    const args = toArguments(prompt, params.arguments)
    return 'outcome' in args ? args.outcome : render(prompt, args.values, context)
  },
}

/** In UTF-16 units: arguments stand in texts and addresses, more than once in some. */
const longestArgument = 2_000

type Values = Readonly<Record<string, string>>

function toArguments(
  prompt: Prompt,
  sent: unknown,
): { readonly values: Values } | { readonly outcome: Outcome } {
  const args = sent === undefined ? {} : sent
  if (!isObject(args)) return { outcome: refuse('arguments must be an object') }
  const names = prompt.arguments.map(({ name }) => name)
  const unknown = Object.keys(args).find(name => !names.includes(name))
  if (unknown !== undefined)
    return { outcome: refuse(`${unknown.slice(0, 100)} is no argument of this prompt`) }
  const values: Record<string, string> = {}
  for (const { name, required } of prompt.arguments) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined
    if (value === undefined || value === '') {
      if (required) return { outcome: refuse(`${name} is required`) }
    } else if (typeof value !== 'string') return { outcome: refuse(`${name} must be a string`) }
    else if (value.length > longestArgument || !value.isWellFormed())
      return { outcome: refuse(`${name} must be well-formed text of at most ${longestArgument} characters`) }
    else values[name] = value
  }
  return { values }
}

async function render(prompt: Prompt, values: Values, context: MethodContext): Promise<Outcome> {
  const messages: unknown[] = []
  for (const part of prompt.render(values)) {
    if ('text' in part) {
      messages.push({ role: 'user', content: { type: 'text', text: part.text } })
      continue
    }
    const read = await readResource(part.resource, context)
    if ('outcome' in read) return read.outcome
    messages.push({ role: 'user', content: { type: 'resource', resource: read.contents } })
  }
  const { description } = prompt
  return { kind: 'result', members: JSON.stringify({ description, messages }).slice(1, -1) }
}

function refuse(detail: string): Outcome {
  return toError(rpcCodes.invalidParams, `Invalid params: ${detail}`)
}
