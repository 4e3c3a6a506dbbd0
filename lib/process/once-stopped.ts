/** Milliseconds that a stop may take before the process ends all the same. */
const patience = 30_000

/**
 * The first SIGTERM or SIGINT stops in order; a second one, or too long a stop, ends the process as it is. A stop
 * that waits on purpose says for how many milliseconds: these come on top.
 */
export function onceStopped(stop: (signal: string) => Promise<void>, { after = 0 } = {}): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      setTimeout(() => process.exit(1), after + patience).unref()
      stop(signal).catch(error => {
        console.error(error)
        process.exit(1)
      })
    })
  }
}
