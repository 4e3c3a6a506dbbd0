import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Teardown } from '../../../../app/support/open-test-database.ts'

/** A client that says exactly what it is told to. A reply is its lines, without their ends, joined by `\n`. */
export interface SmtpClient {
  readonly socket: Socket
  /** Sends a line and waits for its reply. */
  say(line: string): Promise<string>
  /** Sends bytes, without waiting. */
  send(bytes: string | Buffer): void
  /** The next reply; rejects when the server closes before it. */
  reply(): Promise<string>
  /** Waits until the server has closed its side. */
  ended(): Promise<void>
}

/** Connects, without having read the greeting. */
export async function connectClient(t: Teardown, port: number): Promise<SmtpClient> {
  const socket = connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  return talk(socket)
}

/** Connects and says EHLO: a client that can go on with MAIL FROM. */
export async function greetServer(t: Teardown, port: number): Promise<SmtpClient> {
  const client = await connectClient(t, port)
  await client.reply()
  await client.say('EHLO client.test')
  return client
}

/** Says MAIL FROM, RCPT TO and DATA; the message can follow. */
export async function beginData(client: SmtpClient, ...recipients: string[]): Promise<void> {
  await client.say('MAIL FROM:<carla@supplier.test>')
  for (const recipient of recipients) await client.say(`RCPT TO:<${recipient}>`)
  const reply = await client.say('DATA')
  if (!reply.startsWith('354')) throw new Error(reply)
}

function talk(socket: Socket): SmtpClient {
  let text = ''
  let isEnded = false
  const notices = new Set<() => void>()
  const notify = () => {
    for (const notice of notices) notice()
  }
  socket.setEncoding('utf8').on('data', chunk => {
    text += chunk
    notify()
  })
  socket.on('error', () => {})
  for (const event of ['end', 'close']) {
    socket.on(event, () => {
      isEnded = true
      notify()
    })
  }
  const until = async <T>(look: () => T | undefined): Promise<T> => {
    for (;;) {
      const found = look()
      if (found !== undefined) return found
      await new Promise<void>(resolve => {
        const notice = () => {
          notices.delete(notice)
          resolve()
        }
        notices.add(notice)
      })
    }
  }
  const reply = () =>
    until(() => {
      const match = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/.exec(text)
      if (!match) {
        if (isEnded) throw new Error(`the server closed; it said: ${text}`)
        return undefined
      }
      text = text.slice(match[0].length)
      return match[0].trimEnd().replaceAll('\r\n', '\n')
    })
  return {
    socket,
    reply,
    send: bytes => void socket.write(bytes),
    say: line => {
      socket.write(`${line}\r\n`)
      return reply()
    },
    ended: () => until(() => isEnded || undefined).then(() => {}),
  }
}
