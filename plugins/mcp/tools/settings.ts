import { z } from 'zod'
import type { Fail } from '../errors.ts'
import { completionSource } from '../prompts/prompt.ts'

/** What a route may say in `config.mcp`; unknown members stop the boot, so that a typo is never a silent default. */
const schema = z.strictObject({
  name: z.string().optional(),
  title: z.string().min(1).optional(),
  readOnly: z.boolean().optional(),
  destructive: z.boolean().optional(),
  idempotent: z.boolean().optional(),
  openWorld: z.boolean().optional(),
  deadline: z.int().min(1).max(3_600_000).optional(),
  dispatch: z.literal('inject').optional(),
  tool: z.boolean().default(true),
  resource: z
    .strictObject({
      uri: z.string().min(1),
      name: z.string().min(1).optional(),
      title: z.string().min(1).optional(),
      description: z.string().min(1).optional(),
      mimeType: z.string().min(1).optional(),
      size: z.int().min(0).optional(),
      complete: z.record(z.string(), completionSource).default({}),
    })
    .optional(),
  question: z.string().min(1).optional(),
  preview: z
    .union([
      z.string().transform(tool => ({ tool, arguments: undefined })),
      z.strictObject({ tool: z.string(), arguments: z.record(z.string(), z.string()).optional() }),
    ])
    .optional(),
})

export type ToolSettings = z.output<typeof schema>

export interface ToolAnnotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** Parses `config.mcp`; `true` is `{}`. */
export function toSettings(mcp: unknown, fail: Fail): ToolSettings {
  const parsed = schema.safeParse(mcp === true ? {} : mcp)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const member = issue?.code === 'unrecognized_keys' ? issue.keys.join(', ') : issue?.path.join('.')
  return fail('MCP_ERR_ROUTE_CONFIG', `${member || 'config.mcp'}: ${issue?.message}.`)
}

/** All four hints, from the route's own words or, where it is silent, from what its verb means (RFC 9110, 9.2). */
export function toAnnotations(method: string, settings: ToolSettings): ToolAnnotations {
  const readOnlyHint = settings.readOnly ?? method === 'GET'
  return {
    readOnlyHint,
    destructiveHint: settings.destructive ?? method === 'DELETE',
    idempotentHint: settings.idempotent ?? (readOnlyHint || method === 'PUT' || method === 'DELETE'),
    openWorldHint: settings.openWorld ?? false,
  }
}

/** Headers that a confirmed call carries by itself: the question's id, and the `ETag` of what was shown. */
export function toSupplied(
  { preview }: ToolSettings,
  { destructiveHint }: ToolAnnotations,
): readonly string[] {
  if (!destructiveHint) return []
  return preview === undefined ? ['idempotency-key'] : ['idempotency-key', 'if-match']
}
