import { type ParseArgsConfig, parseArgs } from 'node:util'
import { CommandFailure } from './command-failure.ts'
import type { OrganizationCommand } from './organization.ts'

/** A command as typed: what to run with which options, or a text to print instead. */
export type Command =
  | { name: 'demo' }
  | { name: 'migrate' }
  | { name: 'token'; options: Record<string, string | undefined> }
  | ({ name: 'organization' } & OrganizationCommand)
  | { name: 'help'; text: string }

const usage = `Usage: npm run demo|token|migrate|organization [-- options]

Commands:
  demo           API, MCP and worker in one process, with demo data
  token          print one access token for a person of the demo
  migrate        bring the database to the newest version
  organization   make an organization and its first admin, or a link to set a password

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
  METRICS_PORT     port of the metrics for Prometheus (none)
  WEBHOOK_ALLOW_PRIVATE  true: webhooks may go to addresses of this machine (false)
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
  organization: `Usage: npm run organization -- create --name <name> --admin <e-mail> [--admin-name <name>] [--workspace <name>]
       npm run organization -- link --person <e-mail>
       npm run organization -- list

create  makes an organization, a workspace in it and the person who administers it, and prints a link by which that
        person sets a password, good for 72 hours. Where somebody has the address, nothing is made.
link    prints a new link for a person who is there: good for 72 hours, or 24 where they have had a password.
list    prints every organization.

Options:
  --name         what the organization is called
  --admin        the e-mail address of its first person
  --admin-name   what the person is called (what stands before the @)
  --workspace    what the first workspace is called (Main)
  --person       the e-mail address of a person

Environment:
  DATABASE_URL   the PostgreSQL, migrated; without it, the embedded database, which no demo may have open
  PUBLIC_URL     what links begin with; needed with DATABASE_URL (otherwise that of the demo)
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
  organization: {
    name: { type: 'string' },
    admin: { type: 'string' },
    'admin-name': { type: 'string' },
    workspace: { type: 'string' },
    person: { type: 'string' },
  },
}

/** Reads the arguments after the program's name. Throws a CommandFailure that names what it does not know. */
export function parseCommandLine(args: readonly string[]): Command {
  const [name, ...rest] = args
  if (name === undefined) throw new CommandFailure(usage)
  if (name === '--help' || name === '-h' || name === 'help') return { name: 'help', text: usage }
  if (!isCommand(name)) throw new CommandFailure(`Unknown command ${JSON.stringify(name)}.\n\n${usage}`)
  const { values, positionals } = parseOptions(name, rest)
  const { help: wantsHelp, ...given } = values
  if (wantsHelp) return { name: 'help', text: help[name] }
  if (name === 'demo' || name === 'migrate') return { name }
  const options = given as Record<string, string>
  if (name === 'token') return { name, options }
  const [action, ...others] = positionals
  if (others.length === 0) return { name, action, options }
  throw new CommandFailure(`Unexpected argument '${others[0]}'.\n\n${help[name]}`)
}

function isCommand(name: string): name is keyof typeof help {
  return Object.hasOwn(help, name)
}

function parseOptions(name: keyof typeof help, args: readonly string[]) {
  try {
    const config = { ...options[name], help: { type: 'boolean', short: 'h' } } as const
    const allowPositionals = name === 'organization'
    return parseArgs({ args: [...args], options: config, strict: true, allowPositionals })
  } catch (error) {
    throw new CommandFailure(`${toReason(error)}\n\n${help[name]}`)
  }
}

// The first sentence says what is wrong and with which option; the rest is advice on quoting.
function toReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return `${message.split(/\.\s/)[0]}.`
}
