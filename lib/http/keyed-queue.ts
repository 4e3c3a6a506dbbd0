/** Lets one at a time through for each key, in the order of arrival. */
export interface KeyedQueue {
  /**
   * Resolves when it is one's turn, to a function that ends the turn and must be called. Resolves to null
   * when the turn did not come within so many milliseconds.
   */
  enter(key: string, patience: number): Promise<(() => void) | null>
}

export function createKeyedQueue(): KeyedQueue {
  const lastInLine = new Map<string, Promise<void>>()

  return {
    async enter(key, patience) {
      const before = lastInLine.get(key)
      let end = () => {}
      const turn = new Promise<void>(resolve => {
        end = resolve
      })
      // Whoever gives up waiting still stands in line, so that the one behind does not overtake those before.
      const line = (before ?? Promise.resolve()).then(() => turn)
      lastInLine.set(key, line)
      line.then(() => {
        if (lastInLine.get(key) === line) lastInLine.delete(key)
      })

      if (!before || (await settlesWithin(before, patience))) return end
      end()
      return null
    },
  }
}

async function settlesWithin(promise: Promise<void>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>(resolve => {
    timer = setTimeout(resolve, milliseconds, false)
  })
  const settled = await Promise.race([promise.then(() => true), late])
  clearTimeout(timer)
  return settled
}
