import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import tap, { test } from 'tap'
import { projectFile } from '../../project.ts'
import { shareDemoLocation } from './fixtures/share-demo-location.ts'

// What docs/first-message.md tells a new user to type is typed here, to the letter.

tap.setTimeout(420_000)
const page = readFileSync(projectFile('docs/first-message.md'), 'utf8')
const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text = '']) => ({
  language,
  text,
}))
const [demo = '', ...commands] = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text)
const answers = blocks.filter(({ language }) => language === 'text').map(({ text }) => text.trim())

test('the page shows commands and what they answer', async t => {
  t.equal(commands.length, 3)
  t.equal(answers.length, 3)
})

test('a new user gets from the demo to a boleto, by the page alone', async t => {
  const { databaseUrl, dataDir } = await shareDemoLocation()
  const [port, smtpPort] = [await findFreePort(), await findFreePort()]
  const env = {
    ...process.env,
    NODE_ENV: '',
    DATABASE_URL: databaseUrl ?? '',
    DATA_DIR: dataDir,
    PORT: String(port),
    SMTP_PORT: String(smtpPort),
  }
  const first = openTerminal(demo, env)
  t.teardown(() => first.close())
  await first.says('Ready.')
  t.match(first.text(), `SMTP   127.0.0.1:${smtpPort}`)

  // One shell, as in one terminal: what a block exports is there for the next.
  const second = openTerminal(commands.join('\n'), env)
  t.teardown(() => second.close())
  t.equal(await second.ended(), 0, second.text())
  for (const answer of answers) t.match(second.text(), toPattern(answer))
})

interface Terminal {
  text(): string
  /** Waits until this was printed; throws with everything if it ends before. */
  says(wanted: string): Promise<void>
  /** Waits for the end: its exit code. */
  ended(): Promise<number | null>
  /** Ends it in order, with everything that it started. */
  close(): Promise<void>
}

function openTerminal(script: string, env: NodeJS.ProcessEnv): Terminal {
  const shell = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], {
    cwd: projectFile('.'),
    env,
    // A group of its own, so that npm's child ends with it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(shell, 'close').then(([code]) => code as number | null)
  let text = ''
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding('utf8').on('data', chunk => {
      text += chunk
    })
  }
  return {
    text: () => text,
    ended: () => ended,
    says: async wanted => {
      while (!text.includes(wanted)) {
        if (!isRunning(shell)) throw new Error(`it ended:\n${text}`)
        await delay(100)
      }
    },
    close: async () => {
      if (isRunning(shell) && shell.pid !== undefined) process.kill(-shell.pid, 'SIGTERM')
      await ended
    },
  }
}

function isRunning(shell: ChildProcess): boolean {
  return shell.exitCode === null && shell.signalCode === null
}

/** What the page shows, with anything where it shows `…`. */
function toPattern(answer: string): RegExp {
  const pieces = answer.split('…').map(piece => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(pieces.join('.*'))
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
