import { type Dispatcher, request } from 'undici'
import type { AttemptErrorCode } from './attempt-errors.ts'
import { parseRetryAfter } from './schedule.ts'
import { excerptBytes, toExcerpt } from './to-excerpt.ts'

export interface OutgoingMessage {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** How an attempt went. It succeeded where `errorCode` is null. */
export interface AttemptResult {
  /** The HTTP status; null where no answer came. */
  readonly status: number | null
  readonly errorCode: AttemptErrorCode | null
  readonly latencyMs: number
  readonly excerpt: string | null
  /** Seconds that the receiver asked to be left alone. */
  readonly retryAfter: number | null
  readonly attemptedAt: string
}

export interface Sender {
  /** Guarded, see lib/network. */
  readonly dispatcher: Dispatcher
  /** Milliseconds for the whole attempt, the answer's body included. */
  readonly deadline: number
}

/** Sends a message once. Never rejects: what goes wrong is a result. The status decides, whatever body follows it. */
export async function sendMessage(
  { url, headers, body }: OutgoingMessage,
  { dispatcher, deadline }: Sender,
): Promise<AttemptResult> {
  const attemptedAt = new Date().toISOString()
  const begin = performance.now()
  const latency = () => Math.round(performance.now() - begin)
  try {
    const response = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'kobana-autonomous-inbox', ...headers },
      body,
      dispatcher,
      signal: AbortSignal.timeout(deadline),
    })
    const { statusCode: status } = response
    const latencyMs = latency()
    const excerpt = toExcerpt(await readBeginning(response.body))
    const retryAfter = parseRetryAfter([response.headers['retry-after']].flat()[0], Date.now())
    return { status, errorCode: judge(status), latencyMs, excerpt, retryAfter, attemptedAt }
  } catch (error) {
    const errorCode = toErrorCode(error)
    return { status: null, errorCode, latencyMs: latency(), excerpt: null, retryAfter: null, attemptedAt }
  }
}

function judge(status: number): AttemptErrorCode | null {
  if (status >= 200 && status < 300) return null
  if (status === 410) return 'gone'
  return status >= 300 && status < 400 ? 'redirected' : 'http_error'
}

/** Reads no further than the excerpt goes; what is left of the answer is hung up on. */
async function readBeginning(body: Dispatcher.ResponseData['body']): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of body) {
      const bytes = Buffer.from(part)
      parts.push(bytes)
      size += bytes.length
      if (size >= excerptBytes) break
    }
  } catch {
    // The answer broke off or dripped past the deadline; its status has been received.
  }
  return Buffer.concat(parts)
}

function toErrorCode(error: unknown): AttemptErrorCode {
  const { name, code } = toNamed(error)
  if (code === 'address_refused') return code
  if (name === 'TimeoutError' || timeouts.has(code)) return 'timeout'
  if (resolutionFaults.has(code)) return 'dns_failed'
  if (tlsFault.test(code)) return 'tls_failed'
  const isNoHttp = name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW'
  return isNoHttp ? 'invalid_response' : 'connection_failed'
}

function toNamed(error: unknown): { name: string; code: string } {
  if (!(error instanceof Error)) return { name: '', code: '' }
  return { name: error.name, code: 'code' in error && typeof error.code === 'string' ? error.code : '' }
}

const timeouts = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
  'ETIMEOUT',
])
const resolutionFaults = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ENODATA', 'ESERVFAIL'])
const tlsFault = /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO$|HOSTNAME_MISMATCH)/
