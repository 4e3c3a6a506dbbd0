import { attemptErrors, isAttemptError } from './attempt-errors.ts'
import type { DeliveryFailure } from './delivery-operation.ts'

/** What an operation says of a failed attempt; null of one that succeeded. */
export function toFailure(code: string | null, status: number | null): DeliveryFailure | null {
  if (code === null) return null
  const reason = isAttemptError(code) ? attemptErrors[code] : attemptErrors.internal_error
  return { code, reason: status === null ? reason : `${reason} Its status was ${status}.` }
}
