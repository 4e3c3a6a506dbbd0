import * as sdk from '@modelcontextprotocol/sdk/types.js'
import { isCallToolResult, specTypeSchemas } from '@modelcontextprotocol/server'
import type { LightMyRequestResponse } from 'fastify'
import { test } from 'tap'
import { legacy, modern, post } from './toy-client.ts'
import { createNotes, type Toy } from './toy-notes.ts'

type Check = (value: unknown) => string | null

/** A zod schema of SDK 1, which knows the revisions of 2025. */
function ofSdk(schema: {
  safeParse(value: unknown): { success: boolean; error?: Error | undefined }
}): Check {
  return value => {
    const { success, error } = schema.safeParse(value)
    return success ? null : (error?.message ?? 'refused')
  }
}

/** A schema of SDK 2, which knows 2026-07-28. */
function ofSpec(name: keyof typeof specTypeSchemas): Check {
  return value => {
    const result = specTypeSchemas[name]['~standard'].validate(value)
    if (result instanceof Promise) throw new Error('not at once')
    return result.issues ? JSON.stringify(result.issues) : null
  }
}

const messages = {
  2025: { result: ofSdk(sdk.JSONRPCResultResponseSchema), error: ofSdk(sdk.JSONRPCErrorResponseSchema) },
  2026: { result: ofSpec('JSONRPCResultResponse'), error: ofSpec('JSONRPCErrorResponse') },
}

/** The fault that the official schemas find with an answer, message and result; null where there is none. */
function findFault(answer: LightMyRequestResponse, era: 2025 | 2026, result?: Check): string | null {
  const body = answer.json()
  const fault = 'error' in body ? messages[era].error(body) : messages[era].result(body)
  if (fault !== null || result === undefined) return fault
  return 'error' in body ? `an error instead of a result: ${answer.body}` : result(body.result)
}

const calls = [
  { name: 'notes_list', arguments: { tag: ['a', 'b'] } },
  { name: 'notes_get', arguments: { note_id: 'a' } },
  { name: 'notes_get', arguments: { note_id: 'missing' } },
  { name: 'notes_get', arguments: {} },
  { name: 'notes_create', arguments: { title: 'a' } },
  { name: 'notes_mark_read', arguments: { note_id: 'a' } },
  { name: 'notes_delete', arguments: { note_id: 'a' } },
]

test('every result of 2026-07-28 is what the official schemas call one', async t => {
  const { app } = await createNotes(t, { mcp: { pageSize: 4 } })
  t.equal(findFault(await modern(app, 'server/discover'), 2026, ofSpec('DiscoverResult')), null)
  const page = await modern(app, 'tools/list')
  t.equal(findFault(page, 2026, ofSpec('ListToolsResult')), null)
  const { nextCursor } = page.json().result
  const rest = await modern(app, 'tools/list', { cursor: nextCursor }, { id: 'two' })
  t.equal(findFault(rest, 2026, ofSpec('ListToolsResult')), null)
  for (const params of calls) {
    const answer = await modern(app, 'tools/call', params)
    t.equal(findFault(answer, 2026, ofSpec('CallToolResult')), null, JSON.stringify(params))
    t.equal(isCallToolResult(answer.json().result), true)
  }
})

for (const version of ['2025-03-26', '2025-06-18', '2025-11-25']) {
  test(`every result of ${version} is what the official schemas call one`, async t => {
    const protocolVersions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26']
    const { app } = await createNotes(t, { mcp: { protocolVersions, pageSize: 4 } })
    const more = { headers: { 'mcp-protocol-version': version } }
    const initialize = await legacy(app, 'initialize', { protocolVersion: version }, more)
    t.equal(findFault(initialize, 2025, ofSdk(sdk.InitializeResultSchema)), null)
    t.equal(initialize.json().result.protocolVersion, version)
    t.equal(findFault(await legacy(app, 'ping', {}, more), 2025, ofSdk(sdk.EmptyResultSchema)), null)
    const page = await legacy(app, 'tools/list', {}, more)
    t.equal(findFault(page, 2025, ofSdk(sdk.ListToolsResultSchema)), null)
    for (const params of calls) {
      const answer = await legacy(app, 'tools/call', params, more)
      t.equal(findFault(answer, 2025, ofSdk(sdk.CallToolResultSchema)), null, JSON.stringify(params))
    }
  })
}

/** One refusal of every kind that JSON-RPC has a word for. */
async function refusals({ app }: Toy): Promise<readonly LightMyRequestResponse[]> {
  const unsupported = { headers: { 'mcp-protocol-version': '1999-01-01' } }
  return [
    await post(app, '{'),
    await post(app, {}),
    await post(app, []),
    await post(app, ' '.repeat(1_048_577)),
    await legacy(app, 'ping', {}, unsupported),
    await legacy(app, 'ping', {}, { headers: { 'mcp-protocol-version': '2026-07-28' } }),
    await modern(app, 'tools/list', {}, { headers: { 'mcp-method': 'other' } }),
    await modern(app, 'nothing', {}, { id: '' }),
    await legacy(app, 'nothing', {}, { id: 0 }),
    await legacy(app, 'tools/call', { name: 'nothing' }),
    await modern(app, 'tools/list', { cursor: 'forged' }),
    await legacy(app, 'initialize', {}),
  ]
}

test('every error is what the official schemas call one, in both eras', async t => {
  const toy = await createNotes(t)
  for (const answer of await refusals(toy)) {
    t.type(answer.json().error.code, 'number', answer.body.slice(0, 80))
    t.equal(findFault(answer, 2025), null)
    t.equal(findFault(answer, 2026), null)
    t.match(answer.headers['content-type'], /^application\/json/)
  }
})

test('the schemas do refuse what is wrong', async t => {
  const { app } = await createNotes(t)
  const answer = await modern(app, 'tools/list')
  t.not(findFault(answer, 2026, ofSpec('DiscoverResult')), null)
  t.not(findFault(answer, 2025, ofSdk(sdk.InitializeResultSchema)), null)
  t.not(findFault(await modern(app, 'nothing'), 2026, ofSpec('ListToolsResult')), null)
})
