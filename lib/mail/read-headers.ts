import { type MessageLimits, messageLimits } from './mime/message-limits.ts'
import { UnreadableMessage } from './mime/unreadable-message.ts'
import { type ParsedMessage, parseMessage } from './parse-message.ts'

/**
 * What the header of a message says that cannot be read as a whole, so that people can tell which it is; null
 * where the header is the trouble.
 */
export async function readHeaders(
  raw: Buffer,
  limits: MessageLimits = messageLimits,
): Promise<ParsedMessage | null> {
  const start = raw.subarray(0, limits.maxHeaderBytes).toString('latin1')
  const end = /\n\r?\n/.exec(start)
  if (!end) return null
  try {
    return await parseMessage(raw.subarray(0, end.index + 1), limits)
  } catch (error) {
    if (error instanceof UnreadableMessage) return null
    throw error
  }
}
