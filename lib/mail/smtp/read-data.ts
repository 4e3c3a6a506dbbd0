import type { ByteShare } from './byte-budget.ts'
import { SmtpRefusal } from './smtp-refusal.ts'

const smallest = 16_384

/**
 * The message of a DATA command. A refusal, too, comes at its end: a client listens only then. What goes beyond
 * the limit, or beyond what is left in memory for all clients, is read and dropped, together with what came
 * before it. Rejects with an SmtpRefusal, or when the client leaves before the end.
 *
 * One buffer that grows, rather than the pieces as they came: those may be of one byte each.
 */
export async function readData(
  stream: AsyncIterable<Buffer>,
  { maxBytes, share }: { maxBytes: number; share: ByteShare },
): Promise<Buffer> {
  let message = Buffer.alloc(0)
  let size = 0
  let refusal: SmtpRefusal | null = null
  for await (const piece of stream) {
    if (refusal) continue
    const needed = size + piece.length
    refusal = needed > maxBytes ? tooLarge(maxBytes) : null
    if (!refusal && needed > message.length) {
      const capacity = Math.min(Math.max(smallest, needed, message.length * 2), maxBytes)
      if (share.resize(capacity)) message = grow(message, { size, capacity })
      else refusal = new SmtpRefusal(451, 'This server is receiving too much at once, try again later')
    }
    if (refusal) {
      message = Buffer.alloc(0)
      share.release()
    } else {
      piece.copy(message, size)
      size = needed
    }
  }
  if (refusal) throw refusal
  return message.subarray(0, size)
}

function grow(message: Buffer, { size, capacity }: { size: number; capacity: number }): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(capacity)
  message.copy(larger, 0, 0, size)
  return larger
}

function tooLarge(maxBytes: number): SmtpRefusal {
  return new SmtpRefusal(552, `The message is larger than ${maxBytes} bytes`)
}
