import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A program of the product, as a process of its own. */
export interface Program {
  /** What the line by which it said that it is ready had in parentheses. */
  readonly told: string
  /** Asks it to stop and waits for its end: the exit code, or null where a signal ended it. */
  stop(): Promise<number | null>
  /** The last lines that it wrote. */
  output(): string
}

export interface ProgramOptions {
  /** What Node.js is started with. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** The line that says that it is ready, with one group. */
  readonly isReady: RegExp
}

const kept = 200

/** Rejects, with what it wrote, where it ends before it is ready. */
export async function startProgram({ args, env, isReady }: ProgramOptions): Promise<Program> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  const lines: string[] = []
  const output = () => lines.join('\n')
  const ready = new Promise<string>((resolve, reject) => {
    child.once('exit', code => reject(new Error(`${args.at(-1)} ended with ${code}:\n${output()}`)))
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', line => {
        lines.push(line)
        if (lines.length > kept) lines.shift()
        const told = isReady.exec(line)?.[1]
        if (told !== undefined) resolve(told)
      })
  })
  // Nothing of a run that failed or was broken off stays behind.
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  return {
    told: await ready,
    async stop() {
      child.kill('SIGTERM')
      const [code] = await ended
      return typeof code === 'number' ? code : null
    },
    output,
  }
}
