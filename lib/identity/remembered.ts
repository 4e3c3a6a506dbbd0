/** Answers by name, each remembered for a while. */
export interface Remembered<T> {
  /** The answer, asked for anew if it is older than `maximumAge` milliseconds. */
  get(name: string, maximumAge: number): Promise<T>
  forget(name: string): void
}

/**
 * Requests that arrive while a question is under way wait for the same answer. At most `limit` answers are kept; of
 * more, the oldest is dropped.
 */
export function createRemembered<T>(
  ask: (name: string) => Promise<T>,
  { limit = 10_000 }: { limit?: number } = {},
): Remembered<T> {
  const entries = new Map<string, { readonly askedAt: number; readonly answer: Promise<T> }>()

  return {
    get(name, maximumAge) {
      const known = entries.get(name)
      if (known && Date.now() - known.askedAt < maximumAge) return known.answer

      const entry = { askedAt: Date.now(), answer: ask(name) }
      entries.delete(name)
      entries.set(name, entry)
      dropOldest()
      // A failed question is not an answer: the next request asks again.
      entry.answer.catch(() => {
        if (entries.get(name) === entry) entries.delete(name)
      })
      return entry.answer
    },
    forget: name => void entries.delete(name),
  }

  function dropOldest(): void {
    if (entries.size <= limit) return
    const oldest = entries.keys().next()
    if (!oldest.done) entries.delete(oldest.value)
  }
}
