import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { test } from 'tap'
import { capabilitiesKey, versionKey } from './toy-client.ts'
import { createNotes } from './toy-notes.ts'

/** One POST in parts, so that faults can be put into it one over the other. */
interface Draft {
  verb: 'POST' | 'PUT'
  address: string
  as: string | null
  headers: Record<string, string>
  message: { jsonrpc?: string; id?: number; method: string; params: Record<string, unknown> }
  meta: Record<string, unknown>
  /** What is done to the text of the body at last. */
  finish: ((text: string) => string)[]
}

interface Fault {
  readonly name: string
  readonly put: (draft: Draft) => void
  readonly status: number
  /** The JSON-RPC code, or the code of the problem document. */
  readonly code: number | string
  /** Faults that cannot stand in one request with this one. */
  readonly not?: readonly string[]
}

/** Every refusal, in the order in which they are decided. */
const faults: readonly Fault[] = [
  { name: 'verb', put: d => (d.verb = 'PUT'), status: 405, code: 'method_not_allowed' },
  {
    name: 'origin',
    put: d => (d.headers.origin = 'https://evil.test'),
    status: 403,
    code: 'origin_not_allowed',
  },
  { name: 'address budget', put: d => (d.address = '192.0.2.66'), status: 429, code: 'rate_limited' },
  { name: 'token', put: d => (d.as = null), status: 401, code: 'unauthorized' },
  {
    name: 'caller budget',
    put: d => (d.as = 'sam'),
    status: 429,
    code: 'rate_limited',
    not: ['token', 'scope', 'permission'],
  },
  {
    name: 'media type',
    put: d => (d.headers['content-type'] = 'text/plain'),
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    name: 'size',
    put: d => d.finish.push(text => text.padEnd(1_048_577)),
    status: 413,
    code: -32600,
  },
  { name: 'JSON', put: d => d.finish.unshift(text => `${text}}`), status: 400, code: -32700 },
  { name: 'shape', put: d => delete d.message.jsonrpc, status: 400, code: -32600 },
  { name: 'version', put: d => (d.meta[versionKey] = '1999-01-01'), status: 400, code: -32022 },
  { name: 'envelope', put: d => delete d.meta[capabilitiesKey], status: 400, code: -32602 },
  { name: 'headers', put: d => (d.headers['mcp-method'] = 'ping'), status: 400, code: -32020 },
  {
    name: 'method',
    put: d => {
      d.message.method = 'tools/nothing'
      d.headers['mcp-method'] = 'tools/nothing'
    },
    status: 404,
    code: -32601,
    not: ['headers'],
  },
  { name: 'params', put: d => (d.message.params.arguments = 'title'), status: 200, code: -32602 },
  {
    name: 'existence',
    put: d => {
      d.message.params.name = 'notes_nothing'
      d.headers['mcp-name'] = 'notes_nothing'
    },
    status: 200,
    code: -32602,
  },
  {
    name: 'scope',
    put: d => (d.as = 'rob'),
    status: 403,
    code: 'insufficient_scope',
    not: ['token', 'permission'],
  },
  { name: 'permission', put: d => (d.as = 'vera'), status: 200, code: 'forbidden', not: ['token'] },
  {
    name: 'arguments',
    put: d => (d.message.params.arguments = { title: 7 }),
    status: 200,
    code: 'validation_failed',
    not: ['params'],
  },
]

function createDraft(): Draft {
  return {
    verb: 'POST',
    address: '127.0.0.1',
    as: 'ana',
    headers: {
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'notes_create',
    },
    message: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'notes_create', arguments: { title: 'A' } },
    },
    meta: { [versionKey]: '2026-07-28', [capabilitiesKey]: {} },
    finish: [],
  }
}

function send(app: FastifyInstance, draft: Draft): Promise<LightMyRequestResponse> {
  const message = { ...draft.message, params: { ...draft.message.params, _meta: draft.meta } }
  const authorization = draft.as === null ? {} : { authorization: `Bearer ${draft.as}` }
  return app.inject({
    method: draft.verb,
    url: '/mcp',
    remoteAddress: draft.address,
    headers: { ...draft.headers, ...authorization },
    payload: draft.finish.reduce((text, finish) => finish(text), JSON.stringify(message)),
  })
}

/** The status and the code of a refusal, wherever its kind has it. */
function read(answer: LightMyRequestResponse) {
  const body = answer.json()
  const code = body.error?.code ?? (body.result ? JSON.parse(body.result.content[0].text).code : body.code)
  return { status: answer.statusCode, code }
}

test('a call without a fault runs', async t => {
  const { app, reached } = await createNotes(t)
  const answer = await send(app, createDraft())
  t.equal(answer.statusCode, 200)
  t.match(answer.json(), { result: { resultType: 'complete' } })
  t.equal(reached.length, 1)
})

test('of two faults in one request the earlier one is answered, whatever the pair', async t => {
  const { app, reached } = await createNotes(t)
  for (const [index, first] of faults.entries()) {
    for (const second of faults.slice(index)) {
      if (first.not?.includes(second.name) || second.not?.includes(first.name)) continue
      const draft = createDraft()
      // The later fault is put in first, so that the earlier one stands where both touch the same place.
      second.put(draft)
      first.put(draft)
      const { status, code } = first
      t.same(read(await send(app, draft)), { status, code }, `${first.name} before ${second.name}`)
    }
  }
  t.same(reached, [], 'nothing ran')
})

test('a notification is accepted as soon as it is one, and never before that', async t => {
  const { app, reached } = await createNotes(t)
  const isLater = faults.findIndex(({ name }) => name === 'version')
  for (const [index, { name, put, status, code }] of faults.entries()) {
    const draft = createDraft()
    delete draft.message.id
    put(draft)
    const answer = await send(app, draft)
    if (index >= isLater || name === 'scope') {
      t.equal(answer.statusCode, 202, `${name}: accepted`)
      t.equal(answer.body, '', `${name}: without a body`)
    } else t.same(read(answer), { status, code }, `${name}: refused`)
  }
  t.same(reached, [], 'nothing ran')
})
