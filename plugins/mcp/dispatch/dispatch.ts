import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { DispatchedCall, DispatchMode } from '../declarations.ts'
import type { Tool } from '../tools/describe.ts'
import type { ToolRequest } from '../tools/to-request.ts'
import { type Dispatch, giveUp } from './identity.ts'
import { sendByInject } from './send-by-inject.ts'
import { sendDirectly } from './send-directly.ts'
import type { OnAnswer, Sender, ToolResponse } from './sender.ts'

export interface DispatchOptions {
  readonly fastify: FastifyInstance
  readonly tool: Tool
  readonly call: DispatchedCall
  readonly toolRequest: ToolRequest
  /** The client's address, as the outer request has it. */
  readonly address: string
  /** Whether the client came by https, as the outer request has it. */
  readonly isEncrypted: boolean
  readonly mode: DispatchMode
  /** Milliseconds. */
  readonly deadline: number
  /** Closes when the client is gone and does not want the answer any more; null: it wants it in any case. */
  readonly client: ServerResponse | null
}

export interface Answered {
  readonly kind: 'answered'
  readonly response: ToolResponse
  /** Its body is what the route's own serializer printed. */
  readonly isPrinted: boolean
  /** False: it was refused before its route was asked. */
  readonly isReached: boolean
}

export type DispatchOutcome =
  | Answered
  /** A check came as far as the handler, an admission as far as the arguments. */
  | { readonly kind: 'passed' }
  /** The URL led to no route, or to another route than the tool's: nothing of it ran. */
  | { readonly kind: 'strayed' }
  /** The answer has trailers, which a tool result has no place for: what is left of it would not be the answer. */
  | { readonly kind: 'trailers'; readonly status: number }
  | { readonly kind: 'late'; readonly mayStillChange: boolean }
  | { readonly kind: 'disconnected' }

const senders: Readonly<Record<Tool['dispatch'], Sender>> = { inject: sendByInject, direct: sendDirectly }

/**
 * Runs a tool through the route that owns it, as the caller, and waits until it answers, time is up or the client is
 * gone. Rejects where there will be no answer: the route broke off its own response.
 */
export function dispatchTool(options: DispatchOptions): Promise<DispatchOutcome> {
  const { tool, mode, client, deadline } = options
  // A hook may have waited, and the client left meanwhile: `close` comes once.
  if (client?.destroyed) return Promise.resolve({ kind: 'disconnected' })
  const dispatch = toDispatch(options)
  const mayChange = mode === 'run' && !tool.readOnly

  return new Promise((resolve, reject) => {
    const conclude = () => {
      clearTimeout(timer)
      client?.off('close', onLeft)
    }
    const end = (outcome: DispatchOutcome) => {
      conclude()
      resolve(outcome)
      if (!mayChange) giveUp(dispatch)
    }
    const onLeft = () => end({ kind: 'disconnected' })
    const onLate = () => {
      // What Fastify's onTimeout hooks wait for.
      dispatch.raw?.socket.emit('timeout')
      end({ kind: 'late', mayStillChange: mayChange })
    }
    const timer = setTimeout(onLate, deadline)
    // Not `once`: its bound wrapper made every call's objects outlive it until the next full collection, which was a
    // third of a call's time on a large heap (docs/performance.md).
    if (!mayChange) client?.on('close', onLeft)

    const onAnswer = toPassing((error, response) => {
      conclude()
      if (response === null) reject(error)
      else resolve(toOutcome(dispatch, response))
      dispatch.printed = null
    })
    send(options, dispatch, onAnswer)
  })
}

// Lets go of the listener, and of the call with it: a request in process may outlive the call that it was for.
function toPassing(listener: OnAnswer): OnAnswer {
  let waiting: OnAnswer | null = listener
  return (error, response) => {
    const onAnswer = waiting
    waiting = null
    onAnswer?.(error, response)
  }
}

function send(
  { fastify, tool, toolRequest, address }: DispatchOptions,
  dispatch: Dispatch,
  onAnswer: OnAnswer,
): void {
  const { url, headers, payload } = toolRequest
  const outgoing = { method: tool.method, address, url, headers, payload }
  senders[tool.dispatch]({ fastify, dispatch, outgoing }, onAnswer)
}

function toDispatch({ tool, call, mode, isEncrypted, toolRequest }: DispatchOptions): Dispatch {
  const { key, method, isNoted } = tool
  return {
    key,
    method,
    url: toolRequest.url,
    call,
    mode,
    isEncrypted,
    hasHost: toolRequest.headers.host !== '',
    raw: null,
    place: 'under way',
    hasPassed: false,
    isGivenUp: false,
    isNoted,
    printed: null,
  }
}

function toOutcome({ place, hasPassed, printed }: Dispatch, response: ToolResponse): DispatchOutcome {
  if (hasPassed) return { kind: 'passed' }
  const isReached = place === 'reached'
  if (!isReached && !isRefused(place, response)) return { kind: 'strayed' }
  if (response.headers.trailer !== undefined) return { kind: 'trailers', status: response.status }
  return { kind: 'answered', response, isPrinted: response.body === printed, isReached }
}

// A server that is closing, a router that finds a parameter too long and hooks that come before the plugin's answer for
// the route, and what they say holds for it. That there is no such route is told as for a request that strayed.
function isRefused(place: Dispatch['place'], { status }: ToolResponse): boolean {
  return place === 'under way' && status >= 400 && status !== 404
}
