import { CommandFailure } from './lib/commands/command-failure.ts'
import { type Command, parseCommandLine } from './lib/commands/command-line.ts'
import type { OrganizationCommand } from './lib/commands/organization.ts'

/** Milliseconds that a stop may take before the process ends all the same. */
const patience = 20_000

try {
  await run(parseCommandLine(process.argv.slice(2)))
} catch (error) {
  console.error(error instanceof CommandFailure ? error.message : error)
  process.exitCode = 1
}

// Each command loads what it needs and no more: the token command is to be quick.
async function run(command: Command): Promise<void> {
  if (command.name === 'help') console.log(command.text)
  else if (command.name === 'token') await printToken(command.options)
  else if (command.name === 'migrate') await migrate()
  else if (command.name === 'organization') await manageOrganizations(command)
  else await runDemo()
}

/** API, MCP and worker in one process, with demo data, until somebody stops it. */
async function runDemo(): Promise<void> {
  const signal = toStopSignal()
  const demo = await import('./lib/demo/run-demo.ts')
  // Loaded while the database opens, which waits for files most of the time.
  const app = import('./app.ts')
  const buildApp: typeof import('./app.ts').buildApp = async options => (await app).buildApp(options)
  await demo.runDemo({ env: process.env, buildApp, print: text => console.log(text), signal })
}

/** One access token and nothing else, so that a shell can put it into a header. */
async function printToken(options: Record<string, string | undefined>): Promise<void> {
  if (process.env.NODE_ENV === 'production') {
    throw new CommandFailure(
      'The token command is for development: in production people log in, at /oauth or the AUTH_ISSUER.',
    )
  }
  const [{ issueToken }, { parseConfig }] = await Promise.all([
    import('./lib/demo/issue-token.ts'),
    import('./lib/config/config.ts'),
  ])
  const { DATA_DIR } = process.env
  console.log(await issueToken(options, parseConfig({ DATA_DIR }).dataDir))
}

/** Brings the database of DATABASE_URL, or the embedded one, to the newest version. */
async function migrate(): Promise<void> {
  const [{ openOrFail }, { parseOrFail }] = await Promise.all([
    import('./lib/commands/open-or-fail.ts'),
    import('./lib/commands/parse-or-fail.ts'),
  ])
  const { DATABASE_URL, DATABASE_URL_FILE, DATA_DIR } = process.env
  const database = await openOrFail(parseOrFail({ DATABASE_URL, DATABASE_URL_FILE, DATA_DIR }))
  await database.close()
  console.log('The database is up to date.')
}

/** Organizations and their first people, in the database of DATABASE_URL or the embedded one. */
async function manageOrganizations(command: OrganizationCommand): Promise<void> {
  const { runOrganizationCommand } = await import('./lib/commands/run-organization.ts')
  console.log(await runOrganizationCommand(command, process.env))
}

/**
 * Aborted by the first signal. A terminal and the program in between may each send one for a single Ctrl-C, so
 * only one that comes a second later means impatience.
 */
function toStopSignal(): AbortSignal {
  const controller = new AbortController()
  let stoppedAt = 0
  const stop = () => {
    if (controller.signal.aborted && Date.now() - stoppedAt > 1_000) process.exit(1)
    if (controller.signal.aborted) return
    stoppedAt = Date.now()
    setTimeout(() => process.exit(1), patience).unref()
    controller.abort()
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, stop)
  return controller.signal
}
