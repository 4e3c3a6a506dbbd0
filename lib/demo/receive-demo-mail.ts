import type { SmtpConfig } from '../config/config.ts'
import { type SmtpListener, type SmtpOptions, startSmtp } from '../mail/smtp/start-smtp.ts'

/** What mail servers are tried on when the real port, 25, is not to be had. */
const usualPort = 2525

/**
 * Takes mail in at SMTP_PORT. Where that is not set: at the usual port, or at any free one when another demo has
 * the usual one, so that two of them run side by side.
 */
export async function receiveDemoMail(
  options: Omit<SmtpOptions, 'smtp'> & { readonly smtp: SmtpConfig },
): Promise<SmtpListener> {
  const { port } = options.smtp
  const listen = (port: number) => startSmtp({ ...options, smtp: { ...options.smtp, port } })
  if (port !== null) return listen(port)
  try {
    return await listen(usualPort)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return listen(0)
    throw error
  }
}
