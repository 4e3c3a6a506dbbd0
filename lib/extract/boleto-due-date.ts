import { fromDayNumber, toDayNumber } from './calendar-day.ts'

// Factor 1000 was 3 July 2000, counted from 7 October 1997; after 9999, on 21 February 2025, it began again at
// 1000, as if counted from 29 May 2022.
const BASE = toDayNumber('1997-10-07')
const CYCLE = 9000
// A message may bring a boleto that is long overdue or an instalment of a long loan. FEBRABAN's rule for banks
// takes 3,000 days back and 5,500 ahead; the 500 that it leaves unused are read as days ahead.
const DAYS_BACK = 3000

/**
 * The due date that a four-digit factor (1000–9999) means in a message of `messageDay`, both YYYY-MM-DD. The
 * same factor comes back every 9,000 days; the message's date tells which one is meant.
 */
export function toDueDate(factor: number, messageDay: string): string {
  const earliest = toDayNumber(messageDay) - DAYS_BACK
  const cycles = Math.ceil((earliest - BASE - factor) / CYCLE)
  return fromDayNumber(BASE + factor + CYCLE * Math.max(0, cycles))
}
