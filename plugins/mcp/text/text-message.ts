import { type RequestId, toResultMessage, toResultStart } from '../message.ts'
import { createEscaper, type Escaper, longestRest, longestText } from './escaper.ts'

/** What a tool answers with, and what its result says of it. */
export interface TextResult {
  readonly text: string
  /** The text is a JSON object, which stands in the result once more, as `structuredContent`. */
  readonly isStructured: boolean
  readonly isError: boolean
}

const escaper = createEscaper()

/**
 * The message of a tool result, in UTF-8, with further members after its own (MCP 2026-07-28, server/tools, Tool Result).
 * What is no Unicode in the text is replaced. The text is encoded once, and copied as bytes.
 */
export function toTextMessage(id: RequestId, result: TextResult, more: string): Buffer {
  return (escaper && copyMessage(escaper, { id, result, more })) ?? printMessage(id, result, more)
}

/** The same by what every engine has. */
export function printMessage(id: RequestId, result: TextResult, more: string): Buffer {
  const { isStructured, isError } = result
  const text = result.text.toWellFormed()
  const members = [`"content":[{"type":"text","text":${JSON.stringify(text)}}]`]
  if (isError) members.push('"isError":true')
  if (isStructured) members.push(`"structuredContent":${text}`)
  return Buffer.from(toResultMessage(id, members.join(','), more))
}

interface Parts {
  readonly id: RequestId
  readonly result: TextResult
  readonly more: string
}

/** Null where the text is too long, or has a line break or another character that a backslash alone does not escape. */
function copyMessage(escaper: Escaper, { id, result, more }: Parts): Buffer | null {
  const { text, isStructured, isError } = result
  const start = `${toResultStart(id)}"content":[{"type":"text","text":"`
  const middle = `"}]${isError ? ',"isError":true' : ''}${isStructured ? ',"structuredContent":' : ''}`
  const end = `${more === '' ? '' : ','}${more}}}`
  if (text.length > longestText || start.length + middle.length + end.length > longestRest) return null
  const { memory, room } = escaper
  const length = memory.write(text)
  const escaped = escaper.escape(length, room + memory.write(start, room))
  if (escaped === 0) return null
  let at = escaped + memory.write(middle, escaped)
  if (isStructured) at += memory.copy(memory, at, 0, length)
  at += memory.write(end, at)
  const message = Buffer.allocUnsafe(at - room)
  memory.copy(message, 0, room, at)
  return message
}
