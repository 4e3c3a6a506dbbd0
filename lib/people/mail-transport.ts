import { createTransport, type Transporter } from 'nodemailer'
import type { MailConfig } from '../config/config.ts'

/** Milliseconds; all of them together are below what a job may take. */
const timeouts = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
  dnsTimeout: 10_000,
}

/**
 * What hands mail to the relay. With `smtps:` inside TLS, with `smtp:` after STARTTLS where the relay has it; a password
 * is sent over TLS only.
 */
export function createMailTransport({ relayUrl }: Pick<MailConfig, 'relayUrl'>): Transporter {
  const { protocol, hostname, port, username, password } = new URL(relayUrl)
  const secure = protocol === 'smtps:'
  const auth = username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
  return createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    ...(auth && { auth, requireTLS: true }),
    ...timeouts,
    // What a message says never reads a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}
