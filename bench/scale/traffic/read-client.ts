import type { Client } from './client.ts'
import { send } from './send.ts'

const paths = [
  '/api/v1/me',
  '/api/v1/inboxes?limit=5',
  '/api/v1/emails?limit=5',
  '/api/v1/stats',
  '/api/v1/rules',
]

/** Reads over REST. */
export const readOverRest: Client = async ({ ledger, people, url }, turn) => {
  await send(ledger, {
    kind: 'REST read',
    method: 'GET',
    url: `${url}${paths[turn % paths.length]}`,
    headers: { authorization: people.bearer('api') },
    status: 200,
  })
}
