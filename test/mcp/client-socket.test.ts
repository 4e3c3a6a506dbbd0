import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { test } from 'tap'
import { ClientSocket } from '../../plugins/mcp/dispatch/client-socket.ts'

test('the socket of a dispatched request tells the address', async t => {
  const v4 = new ClientSocket('192.0.2.7')
  t.same([v4.remoteAddress, v4.remoteFamily, v4.destroyed], ['192.0.2.7', 'IPv4', false])
  t.equal(new ClientSocket('2001:db8::7').remoteFamily, 'IPv6')
  t.notOk('encrypted' in v4)
  t.equal(new ClientSocket('192.0.2.7', true).encrypted, true)
})

test('a time-out is told once, to those that listen, and can be moved and taken back', async t => {
  const socket = new ClientSocket('192.0.2.7')
  const told: string[] = []
  socket.on('timeout', () => told.push('listener'))
  const onTimeout = () => told.push('callback')
  t.equal(socket.setTimeout(1, onTimeout), socket)
  await wait(30)
  t.same(told.splice(0), ['listener', 'callback'])
  socket.setTimeout(1, onTimeout).setTimeout(0, onTimeout)
  await wait(30)
  t.same(told, [], 'taken back')
  socket.setTimeout(5_000).setTimeout(1)
  await wait(30)
  t.same(told.splice(0), ['listener'], 'moved, and the callback is gone')
})

test('it is destroyed once, and an error that nobody listens for ends nothing', async t => {
  const socket = new ClientSocket('192.0.2.7')
  const closed: unknown[] = []
  socket.on('close', hadError => closed.push(hadError))
  socket.on('timeout', () => t.fail('a time-out after the end'))
  socket.setTimeout(1)
  t.equal(socket.destroy(new Error('broken')).destroyed, true)
  socket.destroy()
  await wait(30)
  t.same(closed, [true])
  const other = new ClientSocket('192.0.2.7')
  const told = once(other, 'error')
  other.destroy(new Error('heard'))
  const [error] = await told
  t.match(error, { message: 'heard' })
})

test('what is set on connections changes nothing here', async t => {
  const socket = new ClientSocket('192.0.2.7')
  for (const chained of [socket.setKeepAlive(), socket.setNoDelay(), socket.ref(), socket.unref()])
    t.equal(chained, socket)
})
