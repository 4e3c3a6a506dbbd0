/** The samples of a Prometheus exposition by name and labels, as they are written. Throws on a line that is none. */
export function parseMetrics(text: string): ReadonlyMap<string, number> {
  const samples = new Map<string, number>()
  for (const line of text.split('\n')) {
    if (line === '' || /^# (HELP|TYPE) [a-z0-9_]+ /.test(line)) continue
    const [, name, value] = /^([a-zA-Z_:][\w:]*(?:\{(?:\w+="(?:[^"\\]|\\.)*",?)*\})?) (\S+)$/.exec(line) ?? []
    if (name === undefined || !(Number.isFinite(Number(value)) || /^(\+Inf|NaN|Nan)$/.test(value ?? '')))
      throw new Error(`not a sample: ${line}`)
    if (samples.has(name)) throw new Error(`twice: ${name}`)
    samples.set(name, Number(value))
  }
  return samples
}

/** The values of a label, over all samples. */
export function valuesOf(samples: ReadonlyMap<string, number>, label: string): string[] {
  const found = [...samples.keys()].map(name => new RegExp(`[{,]${label}="([^"]*)"`).exec(name)?.[1])
  return [...new Set(found.filter(value => value !== undefined))].sort()
}
