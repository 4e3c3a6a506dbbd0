import { type Test, test } from 'tap'
import { createFixture } from './fixture/app.ts'

const origin = 'http://127.0.0.1:1'
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

async function startFixture(t: Test) {
  const app = await createFixture({ token: 'secret', origin })
  t.teardown(() => app.close())
  return app
}

test('the fixture lets nobody in without its token', async t => {
  const app = await startFixture(t)
  for (const authorization of ['', 'Bearer guess', 'secret']) {
    const answer = await app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { authorization },
      payload: ping,
    })
    t.equal(answer.statusCode, 401, JSON.stringify(authorization))
  }
  const headers = { authorization: 'Bearer secret' }
  t.match((await app.inject({ method: 'POST', url: '/mcp', headers, payload: ping })).json(), { result: {} })
})

test('the fixture speaks what it is told to speak', async t => {
  const protocolVersions = ['2025-11-25', '2025-06-18']
  const app = await createFixture({ token: 'secret', origin, protocolVersions })
  t.teardown(() => app.close())
  const answer = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { authorization: 'Bearer secret' },
    payload: { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } },
  })
  t.equal(answer.json().result.protocolVersion, '2025-11-25')
})

test('every toy that the suite calls is a tool with a description', async t => {
  const app = await startFixture(t)
  const answer = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { authorization: 'Bearer secret' },
    payload: { ...ping, method: 'tools/list' },
  })
  const tools: { name: string; description: string }[] = answer.json().result.tools
  t.same(
    tools.map(({ name }) => name),
    [
      'json_schema_2020_12_tool',
      'test_audio_content',
      'test_elicitation',
      'test_elicitation_sep1034_defaults',
      'test_elicitation_sep1330_enums',
      'test_embedded_resource',
      'test_error_handling',
      'test_image_content',
      'test_input_required_result_elicitation',
      'test_input_required_result_multi_round',
      'test_input_required_result_request_state',
      'test_input_required_result_tampered_state',
      'test_logging_tool',
      'test_multiple_content_types',
      'test_sampling',
      'test_simple_text',
      'test_streaming_elicitation',
      'test_tool_with_logging',
      'test_tool_with_progress',
      'test_words_list',
      'test_x_mcp_header',
    ],
  )
  t.ok(tools.every(({ description }) => description.length > 0))
})
