import type { Ledger, Verdict } from '../ledger.ts'

/** One request of a client, over the proxy. */
export interface Sending {
  /** As the report calls it. */
  readonly kind: string
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** The status that is right. */
  readonly status: number
  /** Whether a tool is to answer that it did not do it: the person has declined. */
  readonly refuses?: boolean
}

export interface Answer {
  readonly verdict: Verdict
  readonly text: string
  readonly headers: Headers
}

/** Milliseconds within which everything is answered, whatever is away. */
const patience = 12_000

/** Sends and judges. Whatever is neither right nor a clear refusal is a failure, a lost connection included. */
export async function send(ledger: Ledger, sending: Sending): Promise<Answer> {
  const close = ledger.open()
  const startedAt = performance.now()
  const answer = await ask(sending)
  close({
    kind: sending.kind,
    verdict: answer.verdict,
    fault: answer.fault,
    replica: answer.headers.get('x-replica'),
    milliseconds: performance.now() - startedAt,
  })
  return answer
}

type Judged = Answer & { readonly fault: string | null }

async function ask({ url, method, headers, body, status, refuses = false }: Sending): Promise<Judged> {
  try {
    const answer = await fetch(url, {
      method,
      headers,
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(patience),
    })
    const text = await answer.text()
    const fault = findFault(answer, text, { status, refuses })
    if (answer.status === status && fault === null) return toAnswer('served', answer.headers, text)
    if (answer.status === 503 && fault === null) return toAnswer('unavailable', answer.headers, text)
    return { ...toAnswer('failed', answer.headers, text), fault }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
    return { ...toAnswer('failed', new Headers(), ''), fault: `${error}${cause}` }
  }
}

function findFault(
  answer: Response,
  text: string,
  { status, refuses }: Required<Pick<Sending, 'status' | 'refuses'>>,
): string | null {
  if (answer.status === status) {
    const isRefusal = text.includes('"isError":true')
    return text.includes('"error":{') || isRefusal !== refuses ? text.slice(0, 300) : null
  }
  const isProblem = answer.headers.get('content-type')?.startsWith('application/problem+json')
  if (answer.status === 503 && isProblem && Number(answer.headers.get('retry-after')) > 0) return null
  return `${answer.status} ${text.slice(0, 300)}`
}

function toAnswer(verdict: Verdict, headers: Headers, text: string): Judged {
  return { verdict, headers, text, fault: null }
}
