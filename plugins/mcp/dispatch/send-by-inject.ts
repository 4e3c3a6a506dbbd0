import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { runAs } from './identity.ts'
import type { OnAnswer, Sender } from './sender.ts'

/** Sends by `fastify.inject`: over objects that inherit from Node's own, and cost more than what they carry. */
export const sendByInject: Sender = ({ fastify, dispatch, outgoing }, onAnswer) => {
  const { method, url, headers, payload, address } = outgoing
  const options: InjectOptions = {
    method,
    url,
    headers,
    remoteAddress: address,
    // What is made here is well formed; the check is for what is written by hand.
    validate: false,
  }
  if (payload !== null) options.payload = payload
  const onInjected = toCallback(onAnswer)
  // With a callback inject starts at once, in this context; without one it starts where its result is awaited.
  runAs(dispatch, () => fastify.inject(options, onInjected))
}

type OnInjected = (error: Error | undefined, response: LightMyRequestResponse | undefined) => void

// A function of its own, which closes over nothing else: it outlives the call.
function toCallback(onAnswer: OnAnswer): OnInjected {
  return (error, response) => {
    // Beside an error there is no response, whatever the types say.
    if (response) {
      const { statusCode: status, headers, payload: body } = response
      // Later: whoever wraps `inject` may still read it.
      setImmediate(letGo, response)
      return onAnswer(null, { status, headers, body })
    }
    if (isClosing(error)) return onAnswer(null, { status: 503, headers: {}, body: '' })
    onAnswer(error ?? new Error('inject answered nothing'), null)
  }
}

/** What light-my-request gathers a body in, and keeps; its types do not show it. */
interface Gathering {
  readonly _lightMyRequest?: { readonly payloadChunks?: unknown[] }
}

const nothing = { raw: null, headers: null, payload: null, body: null, rawPayload: null }

// The request and the result of light-my-request have getters of their own, which V8 keeps in the old generation, so
// that whatever they lead to outlives the call until the next full collection (docs/performance.md). The response stays
// as it is for the hooks that it still goes through, but for the bytes that were sent.
function letGo(result: Partial<LightMyRequestResponse>): void {
  const response: (object & Gathering) | undefined = result.raw?.res
  response?._lightMyRequest?.payloadChunks?.splice(0)
  Object.assign(result, nothing)
}

// A server that is closing refuses to be injected into, where it would answer a client with 503.
function isClosing(error: Error | null | undefined): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FST_ERR_REOPENED_CLOSE_SERVER'
}
