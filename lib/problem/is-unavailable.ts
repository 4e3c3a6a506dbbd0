/**
 * Whether an error says that the database, or the network to it, is away or overloaded, so that the same
 * request may succeed a little later; as opposed to an error in what was asked.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && typeof error.code === 'string' && isTransient(error.code)) return true
  if (poolMessages.some(message => error.message.includes(message))) return true
  return error.cause !== undefined && isUnavailable(error.cause)
}

/** Node's own codes for connections that cannot be made or break. */
const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
])

/**
 * SQLSTATE codes (PostgreSQL, appendix A): 40001 and 40P01 lost against another transaction, 53300 too many
 * connections, 55P03 lock not available, 57014 statement timeout, 57P0x the server goes down or comes up,
 * 25P03 and 25P04 a transaction that was open too long.
 */
const sqlStates = new Set([
  '25P03',
  '25P04',
  '40001',
  '40P01',
  '53300',
  '55P03',
  '57014',
  '57P01',
  '57P02',
  '57P03',
])

/** The driver gives these no code. */
const poolMessages = [
  'timeout exceeded when trying to connect',
  'Connection terminated',
  'Query read timeout',
  'Client has encountered a connection error',
  'Client was closed and is not queryable',
  'Cannot use a pool after calling end on the pool',
]

/** Class 08 is "connection exception". */
function isTransient(code: string): boolean {
  return networkCodes.has(code) || sqlStates.has(code) || /^08[0-9A-Z]{3}$/.test(code)
}
