import type { Tool } from '../tools/describe.ts'

export interface ToolIndex {
  /** Those of the tools that `isVisible` and have a word of the query, the best first; without a word, all by name. */
  search(query: string, isVisible: (tool: Tool) => boolean): readonly Tool[]
}

interface Entry {
  readonly tool: Tool
  /** The words of each text, with what a hit in it is worth. */
  readonly texts: readonly { readonly words: readonly string[]; readonly worth: number }[]
}

/** Words are read once at boot. The order depends on the query and the tools alone: the same on every replica. */
export function createToolIndex(tools: readonly Tool[]): ToolIndex {
  const entries: readonly Entry[] = tools.map(tool => ({
    tool,
    texts: [
      { words: toWords(tool.name), worth: 8 },
      { words: toWords(tool.title), worth: 4 },
      { words: toWords(tool.description), worth: 1 },
    ],
  }))

  function search(query: string, isVisible: (tool: Tool) => boolean): readonly Tool[] {
    // `a` and the like say nothing, and stand in half of the descriptions.
    const words = toWords(query).filter(word => !/^[a-z]$/.test(word))
    const visible = entries.filter(({ tool }) => isVisible(tool))
    if (words.length === 0) return visible.map(({ tool }) => tool)
    return visible
      .map(entry => ({ tool: entry.tool, score: toScore(entry, query, words) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score || (one.tool.name < other.tool.name ? -1 : 1))
      .map(({ tool }) => tool)
  }

  return { search }
}

function toScore({ tool, texts }: Entry, query: string, words: readonly string[]): number {
  const named = query.trim() === tool.name ? 1_000 : 0
  return words.reduce((sum, word) => {
    const best = texts.map(text => text.worth * Math.max(0, ...text.words.map(own => toLikeness(own, word))))
    return sum + Math.max(...best)
  }, named)
}

/** 2: the same word. 1: one begins with the other, as `email` and `emails` do. */
function toLikeness(own: string, word: string): number {
  if (own === word) return 2
  const [short, long] = own.length < word.length ? [own, word] : [word, own]
  return short.length >= 3 && long.startsWith(short) ? 1 : 0
}

/** Letters and digits, without case and accents, each word once. */
function toWords(text: string): readonly string[] {
  const plain = text.slice(0, 2_000).normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  return [...new Set(plain.match(/[\p{L}\p{N}]+/gu))]
}
