import { type Logger, pino } from 'pino'
import type { Config } from '../config/config.ts'

/** The process' log: JSON lines on standard output. */
export type Log = Logger

/** Credentials are left out wherever a request or its headers are logged. */
export function createLog(level: Config['logLevel']): Log {
  const secrets = ['authorization', 'cookie', 'set-cookie']
  const places = ['req.headers', 'res.headers', 'headers']
  return pino({
    level,
    redact: places.flatMap(place => secrets.map(name => `${place}["${name}"]`)),
  })
}
