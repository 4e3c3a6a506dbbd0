import { errors } from 'oidc-provider'
import { toFormAction, toRedirectPlace } from '../../lib/authorization/redirect-uri.ts'
import type { Visit } from './pages.ts'

/** Who wants something of a person, as the pages show it. */
export interface ShownClient {
  readonly id: string
  /** What it calls itself, or its id. */
  readonly name: string
  /** The host of its metadata document; null where it registered itself. */
  readonly host: string | null
  /** Where the answer goes, in words, and for Content-Security-Policy. */
  readonly redirectPlace: string
  readonly formActions: readonly string[]
}

export async function findClient({ provider, details }: Visit): Promise<ShownClient> {
  const { client_id: id, redirect_uri: uri } = details.params
  const client = typeof id === 'string' ? await provider.Client.find(id) : undefined
  if (!client || typeof id !== 'string' || typeof uri !== 'string') {
    throw new errors.SessionNotFound('the client is gone')
  }
  return {
    id,
    name: client.clientName ?? id,
    host: URL.canParse(id) ? new URL(id).host : null,
    redirectPlace: toRedirectPlace(uri),
    formActions: [toFormAction(uri)],
  }
}
