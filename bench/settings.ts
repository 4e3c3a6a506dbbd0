import { parseArgs } from 'node:util'

export interface Settings {
  /** Which sections; empty: all but the soak. */
  readonly sections: readonly string[]
  readonly rounds: number
  /** Of load, in each round, on each way. */
  readonly seconds: number
  readonly connections: number
  /** Calls of each way before anything is measured, or as many as `warmUpSeconds` allow. */
  readonly warmUp: number
  /** After which a slow way is taken to be warm, however few its calls. */
  readonly warmUpSeconds: number
  /** Of each kind, where sizes are compared: processes of one program differ. */
  readonly processes: number
  /** Of the soak. */
  readonly calls: number
}

/** What `parseSettings` takes, beside the names of sections. */
export const usage =
  'options: --quick, --rounds N, --seconds S, --connections N, --warm-up S, --processes N, --calls N (docs/performance.md)'

/** Reads the command line; `--quick` is enough to see that everything runs. */
export function parseSettings(args: readonly string[]): Settings {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      connections: { type: 'string', default: '32' },
      'warm-up': { type: 'string', default: '30' },
      processes: { type: 'string' },
      calls: { type: 'string', default: '1000000' },
    },
  })
  return {
    sections: positionals,
    rounds: Number(values.rounds ?? (values.quick ? 2 : 7)),
    seconds: Number(values.seconds ?? (values.quick ? 0.5 : 3)),
    connections: Number(values.connections),
    warmUp: values.quick ? 0 : 30_000,
    warmUpSeconds: Number(values['warm-up']),
    processes: Number(values.processes ?? (values.quick ? 1 : 2)),
    calls: Number(values.calls),
  }
}
