import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { AroundCall, Authenticate, Caller, Permissions, UnreachedCall } from './declarations.ts'
import { McpBootError } from './errors.ts'
import { promptSchema } from './prompts/prompt.ts'

type Limit = (request: FastifyRequest, reply: FastifyReply, caller: Caller) => void | Promise<void>
type PermissionsOf = (caller: Caller, request: FastifyRequest) => Permissions | Promise<Permissions>
type ContextOf = (caller: Caller, request: FastifyRequest) => string | Promise<string>
type Unreached = (call: UnreachedCall, request: FastifyRequest) => void
type IsOriginAllowed = (origin: string) => boolean

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

const milliseconds = z.int().min(1).max(3_600_000)
const revisions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26']
const version = z.string().refine(name => revisions.includes(name), `must be one of ${revisions.join(', ')}`)
const origin = z
  .string()
  .regex(/^(?:[a-z][a-z0-9+.-]*:\/\/[^\s/?#]+|null)$/, 'must be an origin such as https://app.example')

const schema = z.strictObject({
  /** How the server names itself: `serverInfo` in every handshake and, in 2026-07-28, in every result. */
  serverInfo: z.strictObject({
    name: z.string().min(1),
    title: z.string().min(1).optional(),
    version: z.string().min(1),
  }),
  /** What a model should know before it uses the tools; default: no `instructions` member. */
  instructions: z.string().min(1).optional(),
  /** The endpoint's path below the prefix it is registered under. Default `/mcp`. */
  path: z
    .string()
    .regex(/^(\/[A-Za-z0-9._~-]+)+$/, 'must be a path such as /mcp, without a trailing slash')
    .default('/mcp'),
  /** Protocol versions spoken, newest first. Default 2026-07-28, 2025-06-18, 2025-03-26. */
  protocolVersions: z
    .array(version)
    .min(1)
    .refine(
      list => list.every((item, index) => index === 0 || item < (list[index - 1] ?? '')),
      'must be newest first, each once',
    )
    .default(['2026-07-28', '2025-06-18', '2025-03-26']),
  /**
   * Verifies the request and returns who calls. Throws an error with `statusCode` 401 to refuse (429 and 503 pass
   * too); `headers` of the error, such as `retry-after`, go into the answer.
   */
  authenticate: z.custom<Authenticate>(isFunction, 'must be a function'),
  /** The caller's budget, called once per POST after authentication; throws `statusCode` 429. Default: none. */
  limit: z.custom<Limit>(isFunction, 'must be a function').optional(),
  /**
   * The permissions by which lists are filtered (each route's `config.permission`); null: no such model. The
   * default filters by scopes alone. It decides what is listed, never what runs: that is the route's own check.
   */
  permissions: z.custom<PermissionsOf>(isFunction, 'must be a function').optional(),
  /**
   * Told of each `tools/call` of a known tool whose route does not run, so that the API's own hooks do not see what came
   * of it: the token's scope, a confirmation that is asked for, declined or forged, a path that leads elsewhere. For logs
   * and audit. Default: none.
   */
  unreached: z.custom<Unreached>(isFunction, 'must be a function').optional(),
  /**
   * Runs around each `tools/call` of a known tool, `(call, run, request)`: it calls `run`, which does the call and
   * resolves to what came of it. For traces, metrics and logs. Default: one line of the log for each call.
   */
  aroundCall: z.custom<AroundCall>(isFunction, 'must be a function').optional(),
  /** Where the OAuth metadata of this resource is (RFC 9728), for the `WWW-Authenticate` challenges. */
  resourceMetadataUrl: z.url().optional(),
  /**
   * What the names of scopes begin with at the authorization server, for the challenges; the scopes of routes and of
   * callers are without it. Default: nothing.
   */
  scopePrefix: z
    .string()
    .regex(/^[\x21\x23-\x5b\x5d-\x7e]*$/, 'must be what scopes are made of (RFC 6749, 3.3)')
    .default(''),
  /**
   * Which `Origin` values may call: exact origins, or a function. Requests without `Origin` pass. Default: none,
   * so no browser page can call (MCP 2026-07-28, streamable-http, Security & Endpoint).
   */
  allowedOrigins: z
    .union(
      [z.array(origin), z.custom<IsOriginAllowed>(isFunction)],
      'must be a list of origins such as https://app.example, or a function',
    )
    .default([]),
  /**
   * Headers copied from POST /mcp to the dispatched request, lower case, beside `user-agent`; never
   * `authorization`. Default: none.
   */
  forwardHeaders: z
    .array(
      z
        .string()
        .regex(/^[a-z0-9-]+$/, 'must be header names in lower case')
        .refine(name => !unforwardable.has(name), 'must not name a header of identity or framing'),
    )
    .default([])
    .transform(names => ['user-agent', ...names]),
  /**
   * How a tool's route is reached in process: by `fastify.inject`, or directly by `fastify.routing`, which costs less
   * than half. A route that needs Node's own request classes says `config.mcp.dispatch: 'inject'`. Default inject.
   */
  dispatch: z.enum(['inject', 'direct']).default('inject'),
  /** Milliseconds until a tool call is given up. Default 30,000. A route may set its own. */
  deadline: milliseconds.default(30_000),
  /**
   * What `tools/list` shows: all tools, or three by which the others are found, described and called, for clients
   * that drown in long lists. Every tool can be called by its own name either way. Default all.
   */
  listing: z.enum(['all', 'search']).default('all'),
  /** Entries per page of a list. Default 200. */
  pageSize: z.int().min(1).max(10_000).default(200),
  /** Bytes that a POST may hold. Default 1,048,576. */
  bodyLimit: z.int().min(1_024).max(104_857_600).default(1_048_576),
  /**
   * Lets destructive tools ask the person (MCP 2026-07-28 with form elicitation). Default: none, so that every such
   * tool answers `confirmation_required`.
   */
  confirmation: z
    .strictObject({
      /** Secrets of at least 32 characters, the same on every replica: the first signs, all verify. */
      keys: z.array(z.string().min(32)).min(1).readonly(),
      /** Seconds within which the person must answer. Default 300. */
      lifetime: z.int().min(1).max(86_400).default(300),
      /** What else an answer holds for, beside person, client, tool and arguments: the workspace. Default: ''. */
      context: z.custom<ContextOf>(isFunction, 'must be a function').optional(),
    })
    .optional(),
  /** Ready-made prompts (MCP 2026-07-28, server/prompts). Default: none. */
  prompts: z.array(promptSchema).readonly().default([]),
  /** Require `Mcp-Name` on resources/read and prompts/get too, as MCP 2026-07-28 has it. Default false. */
  strictHeaders: z.boolean().default(false),
})

const unforwardable = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'host',
  'content-length',
  'content-type',
  'transfer-encoding',
  'connection',
])

/** What an embedding API passes to the plugin. */
export type McpOptions = z.input<typeof schema>

/** The options after parsing: every default filled in, frozen. */
export type ParsedOptions = Readonly<z.output<typeof schema>>

/** Parses the options once. Throws MCP_ERR_OPTION naming every wrong one. */
export function parseOptions(options: unknown): ParsedOptions {
  const parsed = schema.safeParse(withoutFastifyMembers(options))
  if (parsed.success) return Object.freeze(parsed.data)
  const problems = parsed.error.issues.map(issue => {
    const keys = issue.code === 'unrecognized_keys' ? [issue.keys.join(', ')] : []
    const path = [...issue.path, ...keys].join('.')
    return `${path || 'options'}: ${issue.message}`
  })
  throw new McpBootError('MCP_ERR_OPTION', problems.join('; '))
}

// Fastify's register takes these three beside a plugin's own options.
function withoutFastifyMembers(options: unknown): unknown {
  if (typeof options !== 'object' || options === null) return options
  const {
    prefix: _prefix,
    logLevel: _logLevel,
    logSerializers: _serializers,
    ...own
  } = options as Record<string, unknown>
  return own
}
