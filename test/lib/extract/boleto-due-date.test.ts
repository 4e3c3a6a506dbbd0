import { test } from 'tap'
import { toDueDate } from '../../../lib/extract/boleto-due-date.ts'

test('the published factors give the published dates', t => {
  // FEBRABAN, Manual Operacional do Fator de Vencimento, and Carta-Circular 2.926.
  const published = [
    [1000, '2000-07-03'],
    [1002, '2000-07-05'],
    [1667, '2002-05-01'],
    [4789, '2010-11-17'],
    [5316, '2012-04-27'],
    [9998, '2025-02-20'],
    [9999, '2025-02-21'],
  ] as const
  for (const [factor, day] of published) t.equal(toDueDate(factor, day), day, String(factor))
  t.end()
})

test('the factor begins again at 1000 on 22 February 2025', t => {
  t.equal(toDueDate(9999, '2025-02-10'), '2025-02-21')
  t.equal(toDueDate(1000, '2025-02-10'), '2025-02-22')
  t.equal(toDueDate(1001, '2025-02-10'), '2025-02-23')
  t.equal(toDueDate(1000, '2000-06-20'), '2000-07-03')
  t.equal(toDueDate(1000, '2026-11-10'), '2025-02-22')
  t.end()
})

test('a boleto that was due before the rollover and comes late is not read a cycle ahead', t => {
  t.equal(toDueDate(9990, '2026-11-10'), '2025-02-12')
  t.equal(toDueDate(9000, '2026-11-10'), '2022-05-29')
  t.end()
})

test('every factor, counted day by day, is read back from messages of the months around it', t => {
  const wrong: string[] = []
  const day = new Date('2000-07-03T00:00:00Z')
  for (let factor = 1000, n = 0; n < 18_000; n++, factor = factor === 9999 ? 1000 : factor + 1) {
    const due = day.toISOString().slice(0, 10)
    for (const distance of [-60, 0, 900]) {
      const message = new Date(day)
      message.setUTCDate(message.getUTCDate() + distance)
      const read = toDueDate(factor, message.toISOString().slice(0, 10))
      if (read !== due) wrong.push(`${factor} from ${distance} days: ${read}, not ${due}`)
    }
    day.setUTCDate(day.getUTCDate() + 1)
  }
  t.strictSame(wrong, [])
  t.end()
})

test('every factor has one date from 3,000 days before the message to 6,000 after', t => {
  const message = Date.parse('2026-11-10')
  const dates = new Set<string>()
  for (let factor = 1000; factor <= 9999; factor++) {
    const due = toDueDate(factor, '2026-11-10')
    const days = (Date.parse(due) - message) / 86_400_000
    if (days >= -3000 && days <= 6000) dates.add(due)
  }
  t.equal(dates.size, 9000)
  t.end()
})

test('a message older than the factor itself is read in the first cycle', t => {
  t.equal(toDueDate(9999, '1998-01-01'), '2025-02-21')
  t.equal(toDueDate(1000, '1970-01-01'), '2000-07-03')
  t.end()
})
