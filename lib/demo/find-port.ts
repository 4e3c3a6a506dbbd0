import { createServer } from 'node:net'
import { CommandFailure } from '../commands/command-failure.ts'

/**
 * Makes sure that the address can be listened on, and says which port 0 stands for. Asked before anything is
 * opened, so that a port in use leaves nothing half-started behind.
 */
export function findPort(host: string, port: number, names = httpNames): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', error => reject(toFailure(error, { host, port, names })))
    probe.listen({ host, port }, () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : port))
    })
  })
}

const httpNames = { host: 'HOST', port: 'PORT' }
/** The variables that say where mail is taken in. */
export const smtpNames = { host: 'SMTP_HOST', port: 'SMTP_PORT' }
/** Those of metrics. */
export const metricsNames = { host: 'METRICS_HOST', port: 'METRICS_PORT' }

function toFailure(
  error: NodeJS.ErrnoException,
  { host, port, names }: { host: string; port: number; names: typeof httpNames },
): Error {
  const place = `port ${port} of ${host}`
  const messages: Record<string, string> = {
    EADDRINUSE: `Something else listens on ${place}. Stop it, or choose another port, such as ${names.port}=${port + 1}.`,
    EACCES: `Listening on ${place} is not allowed. Choose a port above 1023 with ${names.port}.`,
    EADDRNOTAVAIL: `${names.host} ${host} is no address of this machine.`,
    ENOTFOUND: `${names.host} ${host} cannot be resolved.`,
  }
  const message = messages[error.code ?? '']
  return message ? new CommandFailure(message) : error
}
