import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { mailAddress } from '../people.ts'
import { attempts, type Client, pause } from './client.ts'

/** Milliseconds between two messages of a client: each costs the worker far more than a request costs a replica. */
const interval = 150

/** Brings a message by SMTP, as a mail server does: again and again until it is answered with 250. */
export const mail: Client = async ({ ledger, mailPort }) => {
  const messageId = `${randomUUID()}@scale.test`
  const transport = createTransport({
    host: '127.0.0.1',
    port: mailPort,
    ignoreTLS: true,
    socketTimeout: 12_000,
  })
  const raw = [
    'From: Carla <carla@supplier.test>',
    `To: ${mailAddress}`,
    `Message-ID: <${messageId}>`,
    'Subject: Scale',
    '',
    'Linha 23793.38128 60007.827136 95000.063305 9 97540000010000',
  ].join('\r\n')
  for (let attempt = 0; attempt < attempts; attempt++) {
    const close = ledger.open()
    const startedAt = performance.now()
    const fault = await transport
      .sendMail({ envelope: { from: 'carla@supplier.test', to: [mailAddress] }, raw })
      .then(() => null, toFault)
    // 4xx is the clear refusal of SMTP: the sender keeps the message.
    const verdict = fault === null ? 'served' : fault.isTemporary ? 'unavailable' : 'failed'
    close({
      kind: 'mail',
      verdict,
      fault: fault?.text ?? null,
      replica: null,
      milliseconds: performance.now() - startedAt,
    })
    if (fault === null) {
      ledger.mailed.add(messageId)
      return wait(interval)
    }
    await wait(pause)
  }
  ledger.wrongs.push('a message was given up')
}

function toFault(error: unknown): { readonly text: string; readonly isTemporary: boolean } {
  const code = error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : 0
  return { text: `${error}`, isTemporary: code >= 400 && code < 500 }
}
