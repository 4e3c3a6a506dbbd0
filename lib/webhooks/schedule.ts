/** When failed deliveries are tried again, and when a webhook that never succeeds is given up. Seconds. */
export interface DeliverySchedule {
  /** How long to wait after the first, the second, … failed attempt. After as many retries a delivery is dead. */
  readonly retryAfter: readonly number[]
  /** The longest wait that a receiver may ask for with Retry-After. */
  readonly longestWait: number
  /** A webhook whose every attempt failed for so long is disabled. */
  readonly giveUpAfter: number
}

const minute = 60
const hour = 60 * minute

/** Nine attempts over about 28 hours; a webhook is disabled after five days without a success. */
export const defaultSchedule: DeliverySchedule = {
  retryAfter: [5, minute, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour],
  longestWait: 12 * hour,
  giveUpAfter: 5 * 24 * hour,
}

export interface FailedAttempt {
  /** Which attempt it was, from 1. */
  readonly attempt: number
  /** Seconds that the receiver asked for; null where it did not. */
  readonly retryAfter: number | null
}

/**
 * Seconds until the next attempt; null after the last. Up to a fifth is added by chance, so that deliveries that failed
 * together do not come back together. A receiver may ask for more time, within bounds, not for less.
 */
export function toNextAttempt(
  { retryAfter: waits, longestWait }: DeliverySchedule,
  { attempt, retryAfter }: FailedAttempt,
  random: () => number = Math.random,
): number | null {
  const wait = waits[attempt - 1]
  if (wait === undefined) return null
  const spread = wait * (1 + random() / 5)
  return retryAfter === null ? spread : Math.max(spread, Math.min(retryAfter, longestWait))
}

/** `Retry-After` in seconds: RFC 9110, section 10.2.3, a number or a date. Null where it is neither. */
export function parseRetryAfter(header: string | undefined, now: number): number | null {
  if (header === undefined) return null
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  // Date.parse would read dates into all kinds of text.
  const date = /^[A-Z][a-z]{2}, .* GMT$/.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, (date - now) / 1_000)
}
