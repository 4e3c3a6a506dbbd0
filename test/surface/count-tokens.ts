import { countTokens as count } from 'gpt-tokenizer/encoding/o200k_base'
import type { Entry, Surface } from './read-surface.ts'

/** Which tokenizer the numbers are of; another model's differ by some percent. */
export const tokenizer = 'o200k_base (gpt-tokenizer)'

/** What a model may have to read before anybody has said a word: the instructions and the tools. */
export const budget = 16_000

export interface Size {
  readonly tools: number
  readonly resources: number
  readonly prompts: number
  readonly instructions: number
  /** Of instructions and tools: the rest is read by clients, not by models. */
  readonly model: number
}

export function sizeOf(surface: Surface): Size {
  const tools = sum(surface.tools.map(toModelJson))
  const instructions = countTokens(surface.instructions)
  return {
    tools,
    resources: sum([...surface.resources, ...surface.resourceTemplates].map(one => JSON.stringify(one))),
    prompts: sum(surface.prompts.map(one => JSON.stringify(one))),
    instructions,
    model: instructions + tools,
  }
}

/** What clients hand on to a model of a tool: its name, its description and its arguments. */
export function toModelJson({ name, description, inputSchema }: Entry): string {
  return JSON.stringify({ name, description, inputSchema })
}

export function countTokens(text: string): number {
  return count(text, { disallowedSpecial: new Set() })
}

function sum(texts: readonly string[]): number {
  return texts.reduce((total, text) => total + countTokens(text), 0)
}
