import { test } from 'tap'
import { createLog } from '../../../lib/log/log.ts'
import { createMetrics } from '../../../lib/metrics/metrics.ts'
import { startApp } from '../plumbing/start-app.ts'
import { talk } from './leave.ts'
import { parseMetrics } from './parse-metrics.ts'

test('what fails before there is a route is in the log under the id of its answer, and counted', async t => {
  const lines: string[] = []
  const metrics = createMetrics()
  const log = createLog('info', { write: line => void lines.push(line) })
  const { app } = await startApp(t, { log, metrics })
  const end = 'host: inbox.test\r\nconnection: close\r\n\r\n'
  for (const [text, method, status, code] of [
    [`GET /api/v1/%zz?q=secret HTTP/1.1\r\n${end}`, 'GET', 400, 'bad_request'],
    [`GET /api/v1/emails/${'x'.repeat(300)} HTTP/1.1\r\n${end}`, 'GET', 414, 'uri_too_long'],
    ['secret, and no HTTP\r\n\r\n', 'none', 400, 'bad_request'],
    [`GET / HTTP/1.1\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`, 'none', 431, 'headers_too_large'],
  ] as const) {
    lines.length = 0
    const before = await count(method)
    const answer = await talk(app, text)
    t.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `))
    const [, id] = /"request_id":"(req_\w+)"/.exec(answer) ?? []
    const told = lines.map(line => JSON.parse(line)).filter(({ msg }) => msg === 'request refused')
    t.match(told, [{ level: 30, reqId: id, code, status }])
    t.equal(told.length, 1)
    t.notMatch(lines.join(''), 'secret')
    t.equal(await count(method), before + 1, code)
  }

  async function count(method: string): Promise<number> {
    const name = `kobana_http_request_duration_seconds_count{method="${method}",route="none",status="4xx"}`
    return parseMetrics(await metrics.registry.metrics()).get(name) ?? 0
  }
})
