/** What is known of how a message came. */
export interface Arrival {
  /** The name that this server goes by. */
  readonly by: string
  /** The session's, as in the log. */
  readonly id: string
  /** What the client calls itself; it can be anything. */
  readonly helo: string
  readonly remoteAddress: string
  /** ESMTP, ESMTPS and so on. */
  readonly protocol: string
  /** The reverse path of the envelope; empty for a bounce. */
  readonly envelopeFrom: string
  readonly receivedAt: Date
}

/** More than these fields can take, so that a message of the largest size is read together with them. */
export const longestTrace = 4_096

/**
 * The fields that a server puts in front of a message that it delivers: RFC 5321, section 4.4. Each inbox gets
 * its own, so that the recipients of one message do not learn of each other.
 */
export function toTraceFields(
  { by, id, helo, remoteAddress, protocol, envelopeFrom, receivedAt }: Arrival,
  recipient: string,
): Buffer {
  const address = remoteAddress.includes(':') ? `IPv6:${remoteAddress}` : remoteAddress
  const lines = [
    `Return-Path: <${envelopeFrom}>`,
    `Received: from ${toAtom(helo)} ([${address}])`,
    `\tby ${by} with ${protocol} id ${id}`,
    `\tfor <${recipient}>; ${toDateTime(receivedAt)}`,
  ]
  return Buffer.from(lines.map(line => `${line}\r\n`).join(''))
}

/** A client's name with nothing in it that would end the field's clause or begin a comment. */
function toAtom(name: string): string {
  return name.replace(/[^\w.:[\]-]/g, '?').slice(0, 255)
}

function toDateTime(date: Date): string {
  return date.toUTCString().replace('GMT', '+0000')
}
