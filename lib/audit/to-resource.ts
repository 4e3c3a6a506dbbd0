import { type IdPrefix, idPrefixes } from '../id/id.ts'
import type { AuditResource } from './new-event.ts'

/** What the record calls each kind of thing that has an id. */
export const resourceTypes: Readonly<Partial<Record<IdPrefix, string>>> = {
  org: 'organization',
  usr: 'member',
  wsp: 'workspace',
  inb: 'inbox',
  eml: 'email',
  att: 'attachment',
  ext: 'extraction',
  opr: 'operation',
  rul: 'rule',
  whk: 'webhook',
  dlv: 'delivery',
  evt: 'event',
  aud: 'audit_event',
  key: 'api_key',
  era: 'data_erasure',
}

/** What a request is about, as far as it can be told without knowing the operation. */
export interface ResourceClues {
  /** The parameters of the path, as they were sent. */
  readonly params: unknown
  /** The answer's `Location`, of a record that was created; null where there is none. */
  readonly location: string | null
  /** The answer's body, if it is text. */
  readonly body: string | null
}

/**
 * The record that a request names in its path, or else the one that it created or answered with. What is no
 * well-formed id is left out: the path is the caller's own text.
 */
export function toResource({ params, location, body }: ResourceClues): AuditResource | null {
  for (const value of Object.values(params ?? {}).reverse()) {
    const resource = parseId(value)
    if (resource) return resource
  }
  // A 202 points to the operation that began, which is not what it is about.
  return parseId(location?.split('/').at(-1)) ?? parseId(toAnsweredId(body))
}

/** Of `{"data":{"id":"…"`: every record begins with its id, so that its text need not be read. */
function toAnsweredId(body: string | null): string | undefined {
  return /^\{"data":\{"id":"([a-z]{3}_[0-9a-z]{26})"/.exec(body ?? '')?.[1]
}

function parseId(value: unknown): AuditResource | null {
  if (typeof value !== 'string' || !/^[a-z]{3}_[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(value)) return null
  const prefix = idPrefixes.find(known => value.startsWith(`${known}_`))
  const type = prefix && resourceTypes[prefix]
  return type === undefined ? null : { type, id: value }
}
