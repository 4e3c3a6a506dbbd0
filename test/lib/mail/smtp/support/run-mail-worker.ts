import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { DatabaseLocation } from '../../../../../lib/database/open-database.ts'
import type { Teardown } from '../../../../app/support/open-test-database.ts'
import { toProgram } from '../../../../project.ts'

export interface MailWorkerOptions {
  readonly location: DatabaseLocation
  readonly port: number
  readonly secretsKey: string
}

export interface MailWorker {
  /** The newest line that it has said. */
  lastLine(): string
  /** Waits until it is gone: at once for SIGKILL, in order for SIGTERM. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>
}

/** The worker with its listener in a process of its own: worker.ts, or on the embedded engine what is like it. */
export function runMailWorker(t: Teardown, { location, port, secretsKey }: MailWorkerOptions): MailWorker {
  const { databaseUrl, dataDir } = location
  const program =
    databaseUrl === null
      ? [...toProgram('test/lib/mail/smtp/support/mail-worker.ts'), dataDir, String(port)]
      : toProgram('worker.ts')
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: 'test',
    DATABASE_URL: databaseUrl ?? '',
    SMTP_PORT: String(port),
    SECRETS_KEY: secretsKey,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    LOG_LEVEL: 'error',
  }
  const child = spawn(process.execPath, program, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  t.teardown(() => child.kill('SIGKILL'))
  let text = ''
  child.stdout.setEncoding('utf8').on('data', chunk => {
    text = (text + chunk).slice(-10_000)
  })
  return {
    lastLine: () => text.trimEnd().split('\n').at(-1) ?? '',
    end: async signal => {
      if (isRunning(child)) child.kill(signal)
      const [code] = await ended
      return code
    },
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}
