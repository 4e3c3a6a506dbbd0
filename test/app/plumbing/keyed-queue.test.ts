import { setTimeout as delay } from 'node:timers/promises'
import { test } from 'tap'
import { createKeyedQueue } from '../../../lib/http/keyed-queue.ts'

test('a keyed queue', async t => {
  t.test('lets one at a time through for each key, in order, and others past', async t => {
    const queue = createKeyedQueue()
    const seen: string[] = []
    const work = async (key: string, name: string) => {
      const leave = await queue.enter(key, 1000)
      seen.push(`${name} in`)
      await delay(20)
      seen.push(`${name} out`)
      leave?.()
    }
    await Promise.all([work('a', 'a1'), work('a', 'a2'), work('b', 'b1'), work('a', 'a3')])
    t.same(
      seen.filter(line => line.startsWith('a')),
      ['a1 in', 'a1 out', 'a2 in', 'a2 out', 'a3 in', 'a3 out'],
    )
    t.ok(seen.indexOf('b1 in') < seen.indexOf('a1 out'))
  })

  t.test('does not let those behind overtake when one gives up', async t => {
    const queue = createKeyedQueue()
    const leaveFirst = await queue.enter('a', 0)
    const second = queue.enter('a', 20)
    const third = queue.enter('a', 1000)
    t.equal(await second, null)
    let isThirdIn = false
    third.then(() => {
      isThirdIn = true
    })
    await delay(20)
    t.equal(isThirdIn, false)
    leaveFirst?.()
    t.type(await third, 'function')
  })
})
