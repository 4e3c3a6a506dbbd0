/** What a sender is told instead of 250: a reply of RFC 5321, section 4.2. 4xx: try again later; 5xx: never. */
export class SmtpRefusal extends Error {
  override readonly name = 'SmtpRefusal'
  /** The name under which smtp-server reads it. It adds the enhanced code that belongs to it, RFC 3463. */
  readonly responseCode: SmtpCode

  constructor(responseCode: SmtpCode, message: string) {
    super(message)
    this.responseCode = responseCode
  }
}

/** 421 also ends the session. */
export type SmtpCode = 421 | 450 | 451 | 550 | 552 | 554

export const unknownRecipient = () => new SmtpRefusal(550, 'There is no such mailbox here')

/** Of a paused inbox. Not for good: a sender's server keeps trying for days, and the mail arrives after all. */
export const pausedRecipient = () => new SmtpRefusal(450, 'This mailbox takes no mail at the moment')

/** Whatever went wrong here; the details are in the log. */
export const trouble = () => new SmtpRefusal(451, 'This server is in trouble, try again later')
