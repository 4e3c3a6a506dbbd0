import { problem } from '../problem/problem.ts'

/** Each takes 32 MiB, at the default cost, and one of the four threads that also look up names and read files. */
const atOnce = 2
/** Some seconds of work: who came later would have given up, and a flood of logins is to cost no more than that. */
const longestQueue = 30

const waiting: (() => void)[] = []
let running = 0

/**
 * Runs costly work on passwords, at most two at a time in this process, the others in the order in which they came.
 * Rejects with `unavailable` when too many wait already.
 */
export async function takeTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running < atOnce) running += 1
  else await queue()
  try {
    return await work()
  } finally {
    // Handed over without being given back in between: nobody who comes now gets in before those who wait.
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}

function queue(): Promise<void> {
  if (waiting.length >= longestQueue) {
    throw problem('unavailable', 'Too many passwords are being checked. Try again in a few seconds.', {
      headers: { 'retry-after': '5' },
    })
  }
  return new Promise(resolve => waiting.push(resolve))
}
