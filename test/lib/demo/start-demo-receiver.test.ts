import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'tap'
import { request } from 'undici'
import { demoAnswers } from '../../../lib/demo/demo-webhooks.ts'
import { startDemoReceiver } from '../../../lib/demo/start-demo-receiver.ts'

test('private addresses and names that lead to them are refused, the receiver itself included', async t => {
  const receiver = await startDemoReceiver({ allowPrivate: false })
  t.teardown(() => receiver.close())
  const { dispatcher } = receiver
  for (const url of ['http://127.0.0.1:9/', 'https://localhost:9/', 'http://[::1]:9/', 'https://10.0.0.1/']) {
    await t.rejects(request(url, { method: 'POST', dispatcher }), { code: 'address_refused' }, url)
  }
})

test('what is meant for the demo arrives over a socket and is answered by host', async t => {
  const receiver = await startDemoReceiver({ allowPrivate: false })
  t.teardown(() => receiver.close())
  t.equal(demoAnswers.size, 5)
  for (const [host, { status, body }] of demoAnswers) {
    const response = await request(`https://${host}/hooks/inbox`, {
      method: 'POST',
      body: '{}',
      dispatcher: receiver.dispatcher,
    })
    t.equal(response.statusCode, status, host)
    t.equal(await response.body.text(), body, host)
  }
})

test('with the allowance, private addresses are reached as well', async t => {
  const server = createServer((_, response) => response.end('here')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const receiver = await startDemoReceiver({ allowPrivate: true })
  t.teardown(() => receiver.close())
  const { port } = server.address() as AddressInfo
  const response = await request(`http://127.0.0.1:${port}/`, { dispatcher: receiver.dispatcher })
  t.equal(await response.body.text(), 'here')
})

test('when it is closed, nothing is answered any more', async t => {
  const receiver = await startDemoReceiver({ allowPrivate: false })
  await receiver.close()
  await t.rejects(
    request('https://erp.acme.test/hooks/inbox', { method: 'POST', dispatcher: receiver.dispatcher }),
  )
})
