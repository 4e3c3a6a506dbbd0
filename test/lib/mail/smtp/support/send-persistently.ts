import { setTimeout as delay } from 'node:timers/promises'
import { createTransport } from 'nodemailer'

export interface Letter {
  readonly to: readonly string[]
  readonly messageId: string
  readonly raw: string
}

export interface SendOptions {
  readonly port: number
  /** Messages under way at a time. */
  readonly lanes: number
  /** Told of each message that was answered with 250. */
  readonly onAccepted: (accepted: number) => void
  /** Gives up after so many milliseconds. */
  readonly patience: number
}

/**
 * What a mail server does: it brings each message again, as it is, until it is answered with 250 or refused for
 * good. Resolves to how often a message had to be tried again.
 */
export async function sendPersistently(
  letters: readonly Letter[],
  { port, lanes, onAccepted, patience }: SendOptions,
): Promise<number> {
  const transport = createTransport({
    host: '127.0.0.1',
    port,
    pool: true,
    maxConnections: lanes,
    maxMessages: Number.POSITIVE_INFINITY,
    socketTimeout: 20_000,
  })
  const end = Date.now() + patience
  const waiting = [...letters]
  let accepted = 0
  let retries = 0

  const send = async ({ to, raw }: Letter): Promise<boolean> => {
    try {
      await transport.sendMail({ envelope: { from: 'carla@supplier.test', to: [...to] }, raw })
      return true
    } catch (error) {
      const code = error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : 0
      if (code >= 500 || Date.now() > end) throw error
      return false
    }
  }
  const run = async (): Promise<void> => {
    for (let letter = waiting.shift(); letter; letter = waiting.shift()) {
      while (!(await send(letter))) {
        retries += 1
        await delay(250)
      }
      accepted += 1
      onAccepted(accepted)
    }
  }
  try {
    await Promise.all(Array.from({ length: lanes }, run))
  } finally {
    transport.close()
  }
  return retries
}
