import type { SMTPServerAddress, SMTPServerDataStream, SMTPServerSession } from 'smtp-server'
import type { Database } from '../../database/database.ts'
import type { JobsLog } from '../../jobs/jobs.ts'
import { isUnavailable } from '../../problem/is-unavailable.ts'
import { createByteBudget } from './byte-budget.ts'
import { findRecipient, type Recipient } from './find-recipient.ts'
import { readData } from './read-data.ts'
import type { SmtpLimits } from './smtp-limits.ts'
import { pausedRecipient, SmtpRefusal, trouble, unknownRecipient } from './smtp-refusal.ts'
import { storeMessage } from './store-message.ts'
import type { Arrival } from './trace-fields.ts'

export interface SessionsOptions {
  readonly database: Database
  readonly log: JobsLog
  /** The name that this server goes by. */
  readonly name: string
  readonly maxMessageBytes: number
  readonly limits: SmtpLimits
}

/** What is decided in sessions. Each rejects with an SmtpRefusal and with nothing else. */
export interface SmtpSessions {
  /** Whether there is an inbox behind a RCPT TO that takes mail. */
  admit(address: SMTPServerAddress, session: SMTPServerSession): Promise<void>
  /** Takes the message of a DATA in. What it resolves to is told to the client: only then it is stored. */
  take(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string>
}

export function createSmtpSessions({ database, log, name, ...options }: SessionsOptions): SmtpSessions {
  const { maxMessageBytes, limits } = options
  const budget = createByteBudget(Math.max(limits.memory, maxMessageBytes))
  const admitted = new WeakMap<SMTPServerAddress, Recipient>()
  const unknown = new WeakMap<SMTPServerSession, number>()
  const named = new WeakMap<SMTPServerSession, number>()

  return {
    admit: (address, session) =>
      orTrouble(session, async () => {
        if (countFor(session, named) > limits.maxNamed) {
          throw new SmtpRefusal(421, `${name} Too many recipients in one session`)
        }
        // RFC 5321, section 4.1.1.3: the one address that needs no domain.
        const wanted = /^postmaster$/i.test(address.address) ? `postmaster@${name}` : address.address
        const recipient = await findRecipient(database, wanted)
        if (recipient === null) throw countUnknown(session)
        if (recipient.status === 'paused') throw pausedRecipient()
        admitted.set(address, recipient)
      }),

    take: (stream, session) =>
      orTrouble(session, async () => {
        const share = budget.open()
        try {
          const arrival = toArrival(session, name)
          const data = await readData(stream, { maxBytes: maxMessageBytes, share })
          const emails = await storeMessage(database, { recipients: toRecipients(session), data, arrival })
          log.info({ id: arrival.id, emails, bytes: data.length }, 'a message arrived')
          return `Stored as ${arrival.id}`
        } finally {
          share.release()
        }
      }),
  }

  function toRecipients({ envelope }: SMTPServerSession): Recipient[] {
    const byInbox = new Map<string, Recipient>()
    for (const address of envelope.rcptTo) {
      const recipient = admitted.get(address)
      if (recipient) byInbox.set(recipient.inboxId, recipient)
    }
    return [...byInbox.values()]
  }

  function countUnknown(session: SMTPServerSession): SmtpRefusal {
    return countFor(session, unknown) > limits.maxUnknown
      ? new SmtpRefusal(421, `${name} Too many unknown recipients`)
      : unknownRecipient()
  }

  /** What is no refusal is ours to mend and the sender's to try again. */
  async function orTrouble<T>({ id }: SMTPServerSession, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof SmtpRefusal) throw error
      if (isGone(error)) log.info({ id }, 'a client left before the end of its message')
      else if (isUnavailable(error)) log.warn({ id, err: error }, 'mail is put off: the database is away')
      else log.error({ id, err: error }, 'mail is put off')
      throw trouble()
    }
  }
}

function countFor(session: SMTPServerSession, counts: WeakMap<SMTPServerSession, number>): number {
  const count = (counts.get(session) ?? 0) + 1
  counts.set(session, count)
  return count
}

function toArrival(session: SMTPServerSession, name: string): Arrival {
  const { envelope, id, transaction, hostNameAppearsAs, remoteAddress, transmissionType } = session
  return {
    by: name,
    id: `${id}.${transaction}`,
    helo: hostNameAppearsAs,
    remoteAddress,
    protocol: transmissionType,
    envelopeFrom: envelope.mailFrom ? envelope.mailFrom.address : '',
    receivedAt: new Date(),
  }
}

function isGone(error: unknown): boolean {
  const codes = ['ECONNECTION', 'ERR_STREAM_PREMATURE_CLOSE']
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
