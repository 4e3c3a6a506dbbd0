import { once } from 'node:events'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { SmtpConfig } from '../../config/config.ts'
import type { Database } from '../../database/database.ts'
import type { JobsLog } from '../../jobs/jobs.ts'
import { type CertificateFiles, readCertificate, watchCertificate } from './certificate.ts'
import { type SmtpLimits, smtpLimits } from './smtp-limits.ts'
import { createSmtpSessions, type SmtpSessions } from './smtp-sessions.ts'

export interface SmtpOptions {
  readonly database: Database
  readonly log: JobsLog
  /** A port of 0 lets the system choose. */
  readonly smtp: SmtpConfig & { readonly port: number }
  /** The largest message that is taken in, without the trace fields that are put in front of it. */
  readonly maxMessageBytes: number
  /** Those that differ from the usual ones. */
  readonly limits?: Partial<SmtpLimits>
  /** Told of the reply to each message. */
  readonly onReply?: (code: number) => void
  /** Milliseconds between two looks at the certificate's files. */
  readonly certificateInterval?: number
}

export interface SmtpListener {
  readonly port: number
  /**
   * Takes no new clients, sends idle ones away with 421, lets messages under way be received and stored for as
   * long as the limits say, then closes. The database is to be closed afterwards.
   */
  close(): Promise<void>
}

/** Receives mail for the inboxes by SMTP, and for nobody else. Rejects when it cannot listen. */
export async function startSmtp(options: SmtpOptions): Promise<SmtpListener> {
  const { log, smtp, maxMessageBytes } = options
  const limits = { ...smtpLimits, ...options.limits }
  const sessions = createSmtpSessions({ ...options, name: smtp.name, limits })
  const receiving = new Set<string>()
  let isClosing = false

  const server: SMTPServer = new SMTPServer({
    ...toServerOptions({ smtp, maxMessageBytes, limits }),
    onRcptTo: (address, session, callback) => {
      sessions.admit(address, session).then(() => callback(), callback)
    },
    onData: (stream, session, callback) => {
      const { id } = session
      receiving.add(id)
      const late = setTimeout(() => dismiss(server, id, 'Too slow'), limits.dataTimeout)
      const end = () => {
        clearTimeout(late)
        receiving.delete(id)
        if (isClosing) dismiss(server, id, 'Closing')
      }
      take(sessions, { stream, session, callback: answered(callback, options.onReply) }).finally(end)
    },
  })
  // Of one client: a broken connection, a failed handshake.
  server.on('error', err => log.info({ err }, 'an SMTP session ended with an error'))

  server.listen({ host: smtp.host, port: smtp.port })
  await once(server.server, 'listening')
  const unwatch = smtp.certificate ? followCertificate(server, options, smtp.certificate) : () => {}
  return {
    port: toPort(server),
    close: () => {
      isClosing = true
      unwatch()
      return close(server, receiving)
    },
  }
}

type DataCall = Parameters<NonNullable<SMTPServerOptions['onData']>>

async function take(
  sessions: SmtpSessions,
  { stream, session, callback }: { stream: DataCall[0]; session: DataCall[1]; callback: DataCall[2] },
): Promise<void> {
  try {
    callback(null, await sessions.take(stream, session))
  } catch (error) {
    callback(error instanceof Error ? error : new Error(String(error)))
  }
}

function answered(callback: DataCall[2], onReply: SmtpOptions['onReply']): DataCall[2] {
  return (error, message) => {
    const code = error && 'responseCode' in error ? Number(error.responseCode) : 451
    onReply?.(error ? code : 250)
    callback(error, message)
  }
}

/** Nothing is relayed, so that nobody has to sign in: there is no AUTH, and every recipient is an inbox. */
function toServerOptions({
  smtp,
  maxMessageBytes,
  limits,
}: {
  smtp: SmtpConfig
  maxMessageBytes: number
  limits: SmtpLimits
}) {
  const { name, certificate, maxClients } = smtp
  const disabled = ['AUTH', 'XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL']
  return {
    name,
    // What a client calls itself is not repeated to it.
    heloResponse: '%s',
    hideENHANCEDSTATUSCODES: false,
    size: maxMessageBytes,
    rejectOversized: true,
    maxClients,
    maxRecipients: limits.maxRecipients,
    socketTimeout: limits.idleTimeout,
    closeTimeout: limits.closeTimeout,
    maxCommandLength: 4_096,
    disableReverseLookup: true,
    logger: false,
    // Its own certificate's key is public: without one of ours there is no STARTTLS.
    disabledCommands: certificate ? disabled : [...disabled, 'STARTTLS'],
    ...(certificate && { ...readCertificate(certificate), minVersion: 'TLSv1.2' as const }),
  } satisfies SMTPServerOptions
}

function followCertificate(
  server: SMTPServer,
  { log, certificateInterval }: SmtpOptions,
  files: CertificateFiles,
): () => void {
  return watchCertificate(files, {
    onChange: certificate => {
      server.updateSecureContext(certificate)
      log.info({}, 'the SMTP certificate was read again')
    },
    onError: err => log.error({ err }, 'the new SMTP certificate cannot be used, the old one stays'),
    ...(certificateInterval !== undefined && { interval: certificateInterval }),
  })
}

/** Ends a session with 421, RFC 5321, section 3.8. */
function dismiss(server: SMTPServer, id: string, why: string): void {
  for (const connection of server.connections) {
    if (connection.id === id) connection.send(421, `${server.options.name} ${why}, try again later`)
  }
}

async function close(server: SMTPServer, receiving: ReadonlySet<string>): Promise<void> {
  const closed = new Promise<void>(resolve => {
    server.close(resolve)
  })
  for (const { id } of server.connections) {
    if (!receiving.has(id)) dismiss(server, id, 'Closing')
  }
  await closed
}

function toPort(server: SMTPServer): number {
  const address = server.server.address()
  if (address === null || typeof address === 'string') throw new Error('SMTP listens on no port')
  return address.port
}
