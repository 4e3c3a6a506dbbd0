import { test } from 'tap'
import { takeTurn } from '../../../lib/passwords/take-turn.ts'

test('two work at a time, the others in their order, and a flood is refused with the time to wait', async t => {
  const finish: (() => void)[] = []
  const order: number[] = []
  const work = (number: number) =>
    takeTurn(
      () =>
        new Promise<void>(resolve => {
          order.push(number)
          finish.push(resolve)
        }),
    )
  const all = Array.from({ length: 32 }, (_, number) => work(number))
  t.same(order, [0, 1])
  await t.rejects(work(32), { code: 'unavailable', status: 503, headers: { 'retry-after': '5' } })
  for (let number = 0; number < 32; number++) {
    t.ok(order.length - number <= 2)
    finish[number]?.()
    await all[number]
  }
  t.same(
    order,
    Array.from({ length: 32 }, (_, number) => number),
  )
})

test('work that fails gives its turn back', async t => {
  for (let turn = 0; turn < 3; turn++) {
    await t.rejects(
      takeTurn(() => Promise.reject(new Error('broken'))),
      /broken/,
    )
  }
  t.equal(await takeTurn(async () => 'done'), 'done')
})
