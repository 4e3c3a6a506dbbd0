import type { DoneFuncWithErrOrRes, FastifyReply, FastifyRequest } from 'fastify'
import { toProblem } from '../lib/problem/to-problem.ts'

/** An answer on its way out, as an onSend hook has it. */
export interface Leaving {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly payload: unknown
  readonly done: DoneFuncWithErrOrRes
}

/**
 * Lets an answer leave when `work` is done, and a problem in its place, with `complaint` in the log, if that rejects.
 * For onSend hooks with a callback: those that are asynchronous cost a promise where they have nothing to wait for.
 */
export function sendAfter(
  work: Promise<void>,
  { request, reply, payload, done }: Leaving,
  complaint: string,
): void {
  const onError = (error: unknown) => {
    request.log.error({ err: error }, complaint)
    return reply.toProblemBody(toProblem(error))
  }
  work.then(() => payload, onError).then(body => done(null, body), done)
}
