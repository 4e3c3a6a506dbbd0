import { request } from 'undici'
import { isFetchUrl } from './fetch-url.ts'

export interface FetchLimits {
  /** Milliseconds for the whole of it. Default 5,000. */
  readonly timeout?: number
  /** Bytes of the body. Default 262,144. */
  readonly maximum?: number
}

/**
 * Gets a JSON document of an identity provider. Rejects for whatever is not a 200 with JSON in the time and size that
 * are allowed; redirects are not followed, since the URL is what an operator, or the issuer's metadata, vouches for.
 */
export async function fetchJson(
  url: string,
  { timeout = 5_000, maximum = 262_144 }: FetchLimits = {},
): Promise<unknown> {
  checkFetchUrl(url)
  const { statusCode, body } = await request(url, {
    headers: { accept: 'application/json', 'accept-encoding': 'identity' },
    signal: AbortSignal.timeout(timeout),
  })
  const parts: Buffer[] = []
  let size = 0
  // Also of a refusal: a body that nobody reads holds its connection.
  for await (const part of body) {
    const bytes = Buffer.from(part)
    size += bytes.length
    if (size > maximum) throw new Error(`${url} answered with more than ${maximum} bytes`)
    parts.push(bytes)
  }
  if (statusCode !== 200) throw new Error(`${url} answered with status ${statusCode}`)
  return parseJson(Buffer.concat(parts).toString('utf8'), url)
}

/** Without the parser's message, which quotes what came: it goes to the log. */
function parseJson(text: string, url: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${url} answered with something that is no JSON`)
  }
}

function checkFetchUrl(url: string): void {
  if (!isFetchUrl(url)) throw new Error(`${url} is neither https nor on this machine`)
}
