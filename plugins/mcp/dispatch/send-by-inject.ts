import type { InjectOptions } from 'fastify'
import { runAs } from './identity.ts'
import type { Sender } from './sender.ts'

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
  // With a callback inject starts at once, in this context; without one it starts where its result is awaited.
  runAs(dispatch, () =>
    fastify.inject(options, (error, response) => {
      // Beside an error there is no response, whatever the types say.
      if (response) {
        const { statusCode: status, headers, payload: body } = response
        return onAnswer(null, { status, headers, body })
      }
      if (isClosing(error)) return onAnswer(null, { status: 503, headers: {}, body: '' })
      onAnswer(error ?? new Error('inject answered nothing'), null)
    }),
  )
}

// A server that is closing refuses to be injected into, where it would answer a client with 503.
function isClosing(error: Error | null | undefined): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FST_ERR_REOPENED_CLOSE_SERVER'
}
