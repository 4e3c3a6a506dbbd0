import { type Dispatcher, request } from 'undici'

/** How the library asks for documents whose URLs strangers chose. */
export type FetchDocument = (url: string | URL | Request, options?: RequestInit) => Promise<Response>

/** Bytes of a Client ID Metadata Document. */
const maximum = 10_240
/** Milliseconds for all of it. */
const patience = 4_000

/**
 * Fetches through a guarded dispatcher, whatever other one the caller names, and follows no redirect: the URL is the
 * client's name, and who answers for another name is somebody else. What is too large is not read to its end.
 */
export function createFetchDocument(dispatcher: Dispatcher): FetchDocument {
  return async (url, options) => {
    if (url instanceof Request || (options?.method ?? 'GET') !== 'GET') {
      throw new Error('only documents are fetched')
    }
    const { statusCode, headers, body } = await request(url, {
      dispatcher,
      headers: { accept: 'application/json', 'accept-encoding': 'identity' },
      signal: AbortSignal.timeout(patience),
    })
    if (statusCode !== 200) {
      body.on('error', () => {}).destroy()
      return new Response(null, { status: statusCode < 200 ? 502 : statusCode })
    }
    const control = [headers['cache-control'] ?? []].flat().join(', ')
    return new Response(await readBounded(body), {
      headers: control === '' ? {} : { 'cache-control': control },
    })
  }
}

async function readBounded(body: AsyncIterable<unknown>): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of body) {
    if (!(part instanceof Uint8Array)) throw new Error('the document is no stream of bytes')
    size += part.length
    // Leaving the loop destroys the stream, and its connection with it.
    if (size > maximum) throw new Error(`the document has more than ${maximum} bytes`)
    parts.push(Buffer.from(part))
  }
  return Buffer.concat(parts).toString('utf8')
}
