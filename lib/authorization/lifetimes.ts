/** How long everything lasts that the built-in authorization server gives out, in seconds. */
export const lifetimes = {
  accessToken: 10 * 60,
  code: 60,
  /** From a person's arrival until both pages are answered. */
  interaction: 60 * 60,
  /** From the login; it is not prolonged by use. */
  session: 12 * 3_600,
  /** Since its last use. */
  refreshToken: 30 * 86_400,
  /** A consent, and all refresh tokens that stand on it. */
  grant: 90 * 86_400,
} as const

/** Of a new refresh token, in seconds: never beyond the consent's, which began with the first of its line. */
export function toRefreshTokenLifetime(firstIssuedAt: number, now: number): number {
  return Math.max(1, Math.min(lifetimes.refreshToken, firstIssuedAt + lifetimes.grant - now))
}

/** Of a session that is written again, in seconds. */
export function toSessionLifetime(loggedInAt: number | undefined, now: number): number {
  return loggedInAt === undefined ? lifetimes.interaction : Math.max(1, loggedInAt + lifetimes.session - now)
}
