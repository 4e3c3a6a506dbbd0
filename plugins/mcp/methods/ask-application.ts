import { rpcCodes } from '../errors.ts'
import { type Outcome, toError } from '../outcome.ts'

/**
 * Asks the embedding API about the caller. What it refuses as the client's mistake, such as an unknown workspace,
 * becomes a -32602; 401, 429 and 503 keep their HTTP meaning and are thrown on.
 */
export async function askApplication<T>(
  ask: () => T | Promise<T>,
): Promise<{ readonly value: T } | { readonly outcome: Outcome }> {
  try {
    return { value: await ask() }
  } catch (error) {
    const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
    const isMistake = status >= 400 && status < 500 && status !== 401 && status !== 429
    if (!isMistake || !(error instanceof Error)) throw error
    return { outcome: toError(rpcCodes.invalidParams, `Invalid params: ${error.message}`) }
  }
}
