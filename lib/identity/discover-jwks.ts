import { z } from 'zod'
import { fetchJson } from './fetch-json.ts'

const metadataSchema = z.object({ issuer: z.string(), jwks_uri: z.string() })

/**
 * Where an issuer publishes its keys, from its metadata: RFC 8414, else OpenID Connect Discovery. Rejects where neither
 * names the very issuer that was asked (RFC 8414 section 3.3), so that one cannot speak for another.
 */
export async function discoverJwks(issuer: string): Promise<string> {
  const faults: unknown[] = []
  for (const url of toMetadataUrls(issuer)) {
    try {
      const metadata = metadataSchema.parse(await fetchJson(url))
      if (metadata.issuer !== issuer) throw new Error(`${url} is the metadata of ${metadata.issuer}`)
      return metadata.jwks_uri
    } catch (error) {
      faults.push(error)
    }
  }
  throw new AggregateError(faults, `${issuer} has no metadata that names its keys`)
}

/** RFC 8414 section 3.1 puts the well-known part before the issuer's path, OpenID Connect after it. */
function toMetadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/+$/, '')
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]
}
