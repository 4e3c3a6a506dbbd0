import type { AuditClient } from './new-event.ts'

/**
 * The client's name and version: what an MCP client says of itself, or else the first product of `User-Agent`
 * (RFC 9110, section 10.1.5). Null where neither says anything. It proves nothing; who the client is stands in the
 * token.
 */
export function toClient(
  said: { readonly name: string; readonly version: string } | null,
  userAgent: string | undefined,
): AuditClient | null {
  const name = clean(said?.name, 100)
  if (name) return { name, version: clean(said?.version, 50) }
  const [, product = '', version] =
    /^([!#$%&'*+.^`|~\w-]+)(?:\/([!#$%&'*+.^`|~\w-]+))?/.exec(userAgent ?? '') ?? []
  const agent = clean(product, 100)
  return agent ? { name: agent, version: clean(version, 50) } : null
}

/** One bounded line, which PostgreSQL can hold and a terminal can show; null for nothing. */
function clean(text: string | undefined, maximum: number): string | null {
  if (text === undefined || plain.test(text)) return text?.trim().slice(0, maximum) || null
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, maximum)
  return line.toWellFormed() || null
}

/** Nothing but visible ASCII and blanks: what nearly every client is called. */
const plain = /^[\x20-\x7e]*$/
