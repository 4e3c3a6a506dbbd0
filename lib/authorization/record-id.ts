import { createHash } from 'node:crypto'

/** What stands in the database for an id that lets its bearer in: a code, a refresh token, a session's cookie. */
export function toRecordHash(model: string, id: string): string {
  return createHash('sha256').update(`${model}\n${id}`).digest('hex')
}
