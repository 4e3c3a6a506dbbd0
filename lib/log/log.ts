import { type DestinationStream, type Logger, pino } from 'pino'
import type { Config } from '../config/config.ts'

/** The process' log: JSON lines on standard output. */
export type Log = Logger

/**
 * Credentials are left out wherever a request or its headers are logged.
 *
 * @param destination where the lines go, standard output unless given
 */
export function createLog(level: Config['logLevel'], destination?: DestinationStream): Log {
  const secrets = ['authorization', 'cookie', 'set-cookie']
  const places = ['req.headers', 'res.headers', 'headers']
  const options = {
    level,
    serializers: { req: toLoggedRequest },
    redact: places.flatMap(place => secrets.map(name => `${place}["${name}"]`)),
  }
  return destination ? pino(options, destination) : pino(options)
}

interface LoggedRequest {
  readonly method?: string
  readonly url?: string
  readonly host?: string
  /** None where the connection was reset before this is read. */
  readonly ip?: string
}

/** Without the query: people put tokens there, and what is searched for is the mail's own text. */
function toLoggedRequest({ method, url, host, ip }: LoggedRequest) {
  return { method, url: url?.split('?', 1)[0], host, remoteAddress: ip }
}
