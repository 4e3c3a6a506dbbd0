/** Every way in which an attempt fails, and what whoever runs the receiver can do about it. */
export const attemptErrors = {
  http_error: 'The receiver answered with an error status. Look into its log for the time of the attempt.',
  redirected: 'The receiver answered with a redirect, which is not followed. Give the webhook the final URL.',
  gone: 'The receiver answered 410 Gone, which disables the webhook. Enable it when the receiver is back.',
  timeout: 'The receiver did not answer in time. Let it answer at once and do its work afterwards.',
  dns_failed: "The name in the webhook's URL could not be resolved. Check its spelling and its DNS records.",
  connection_failed:
    'No connection to the receiver could be made or kept. Check that it runs and can be reached.',
  tls_failed: "The receiver's TLS certificate was not accepted. Give it a valid one for its name.",
  address_refused:
    'The URL leads to an address that is not of the public internet, where nothing is sent. Give the webhook a public one.',
  invalid_response: 'What the receiver answered is not correct HTTP. Check what listens at the URL.',
  webhook_disabled: 'The webhook is disabled, so nothing was sent. Enable it, then deliver again.',
  webhook_deleted: 'The webhook was deleted before the attempt.',
  email_deleted: 'The e-mail was deleted before its event was sent.',
  internal_error:
    'The attempt could not be concluded on our side. Deliver again; report the delivery if it recurs.',
} as const satisfies Record<string, string>

export type AttemptErrorCode = keyof typeof attemptErrors

export function isAttemptError(code: string): code is AttemptErrorCode {
  return Object.hasOwn(attemptErrors, code)
}
