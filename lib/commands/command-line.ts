import { type ParseArgsConfig, parseArgs } from 'node:util'
import { CommandFailure } from './command-failure.ts'

/** A command as typed: what to run with which options, or a text to print instead. */
export type Command =
  | { name: 'demo' }
  | { name: 'migrate' }
  | { name: 'token'; options: Record<string, string | undefined> }
  | { name: 'help'; text: string }

const usage = `Usage: npm run demo|token|migrate [-- options]

Commands:
  demo      API, MCP and worker in one process, with demo data
  token     print one access token for a person of the demo
  migrate   bring the database to the newest version

npm run <command> -- --help tells more.`

const help: Record<Exclude<Command['name'], 'help'>, string> = {
  demo: `Usage: npm run demo

Serves the API, MCP and the worker with demo data, on the embedded database unless DATABASE_URL is set.

Environment:
  PORT             port to listen on (3000; 0 for any free one)
  SMTP_PORT        port that takes mail in (2525, or a free one if that is taken)
  HOST             address to listen on (127.0.0.1)
  DATA_DIR         where the embedded database and the keys are kept (.data)
  DATABASE_URL     a PostgreSQL instead of the embedded database
  RATE_LIMIT_MAX   requests a minute and caller (600)
  LOG_LEVEL        fatal, error, warn, info, debug, trace or silent (warn)`,
  token: `Usage: npm run --silent token -- --user <e-mail> --audience mcp|api [--scope <scopes>] [--expires <time>]

Prints one access token for a person of the demo, which may be running; nothing else. Not for production.

Options:
  --user       whose token, such as ana@acme.test
  --audience   mcp for POST /mcp, api for /api/v1: each refuses the other's tokens
  --scope      scopes with blanks between, such as "emails:read inboxes:read" (all of them)
  --expires    a number and s, m, h or d, such as 15m (1h)

Environment:
  DATA_DIR     that of the demo (.data)`,
  migrate: `Usage: npm run migrate

Runs the migrations that the database lacks.

Environment:
  DATABASE_URL   the PostgreSQL to migrate; without it, the embedded database
  DATA_DIR       where the embedded database is kept (.data)`,
}

const options: Record<keyof typeof help, NonNullable<ParseArgsConfig['options']>> = {
  demo: {},
  token: {
    user: { type: 'string' },
    audience: { type: 'string' },
    scope: { type: 'string' },
    expires: { type: 'string' },
  },
  migrate: {},
}

/** Reads the arguments after the program's name. Throws a CommandFailure that names what it does not know. */
export function parseCommandLine(args: readonly string[]): Command {
  const [name, ...rest] = args
  if (name === undefined) throw new CommandFailure(usage)
  if (name === '--help' || name === '-h' || name === 'help') return { name: 'help', text: usage }
  if (name !== 'demo' && name !== 'token' && name !== 'migrate') {
    throw new CommandFailure(`Unknown command ${JSON.stringify(name)}.\n\n${usage}`)
  }
  const { help: wantsHelp, ...values } = parseOptions(name, rest)
  if (wantsHelp) return { name: 'help', text: help[name] }
  return name === 'token' ? { name, options: values as Record<string, string> } : { name }
}

function parseOptions(name: keyof typeof help, args: readonly string[]) {
  try {
    const config = { ...options[name], help: { type: 'boolean', short: 'h' } } as const
    return parseArgs({ args: [...args], options: config, strict: true }).values
  } catch (error) {
    throw new CommandFailure(`${toReason(error)}\n\n${help[name]}`)
  }
}

// The first sentence says what is wrong and with which option; the rest is advice on quoting.
function toReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return `${message.split(/\.\s/)[0]}.`
}
