import type { Teardown } from '../support/open-test-database.ts'

/** Lets time pass in this process; everything that was real is back when the test ends. */
export function moveClock(t: Teardown): (milliseconds: number) => void {
  const { now } = Date
  let later = 0
  Date.now = () => now() + later
  t.teardown(() => {
    Date.now = now
  })
  return milliseconds => {
    later += milliseconds
  }
}
