/** What one client, and all of them together, may take. Times are in milliseconds. */
export interface SmtpLimits {
  /** Recipients of one message; the next one is refused with 452 and belongs into another message. */
  readonly maxRecipients: number
  /** Addresses that are no inbox's, in one session: who tries more is looking for some. */
  readonly maxUnknown: number
  /** Recipients named in one session, each time counted: the same one again costs as much as another. */
  readonly maxNamed: number
  /** Bytes that all messages together, while they are being received, may hold; one of them always may. */
  readonly memory: number
  /** How long a client may be silent. */
  readonly idleTimeout: number
  /** How long it may take over one message, however it drips. */
  readonly dataTimeout: number
  /** How long a stop waits for messages under way. */
  readonly closeTimeout: number
}

export const smtpLimits: SmtpLimits = Object.freeze({
  // RFC 5321, section 4.5.3.1.8: at least so many.
  maxRecipients: 100,
  maxUnknown: 50,
  maxNamed: 5_000,
  memory: 134_217_728,
  idleTimeout: 60_000,
  dataTimeout: 600_000,
  closeTimeout: 15_000,
})
