import { Agent, request } from 'node:http'
import { test } from 'tap'
import { startListening } from './listen.ts'

test('a body that is too large holds up nobody behind it on the connection', async t => {
  const { url } = await startListening(t)
  // As a proxy has them: one connection, kept for whoever comes next.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const send = (method: string, path: string, { type = '', body = '' } = {}) =>
    new Promise<{ status: number | undefined; connection: string | undefined }>((resolve, reject) => {
      const headers = type === '' ? {} : { 'content-type': type }
      const sent = request(`${url}${path}`, { agent, method, headers, timeout: 5_000 }, answer => {
        answer.resume().on('end', () => {
          resolve({ status: answer.statusCode, connection: answer.headers.connection })
        })
      })
      sent.on('timeout', () => sent.destroy(new Error('no answer in time')))
      sent.on('error', reject)
      // In parts: its size is not known beforehand.
      if (body !== '') sent.write(body)
      sent.end()
    })

  const form = 'application/x-www-form-urlencoded'
  for (const [path, type] of [
    ['/oauth/token', form],
    ['/oauth/revoke', form],
    ['/oauth/register', 'application/json'],
  ] as const) {
    const refused = await send('POST', path, { type, body: `a=${'x'.repeat(2 ** 21)}` })
    t.match(refused, { status: 400, connection: 'close' }, path)
    t.match(await send('GET', '/health'), { status: 200 }, `after ${path}`)
  }
  const small = await send('POST', '/oauth/token', { type: form, body: 'grant_type=nothing' })
  t.match(small, { status: 400, connection: 'keep-alive' })
})
