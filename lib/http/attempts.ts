import type { OpenTransaction } from '../database/database.ts'
import { type Problem, problem } from '../problem/problem.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { findAnswer, holdKey, type KeptAnswer, type KeyOwner, keepAnswer, toKeyName } from './kept-answers.ts'
import { createKeyedQueue } from './keyed-queue.ts'

/** What a request with an idempotency key came upon: an earlier answer, or the task to find one. */
export type Begun =
  | { readonly kind: 'answered'; readonly answer: KeptAnswer }
  | { readonly kind: 'fresh'; readonly attempt: Attempt }

/** The first request with its key, while it runs. */
export interface Attempt {
  /**
   * Ends the transaction as its answer has it. Up to 3xx it is committed with the answer in it; with 4xx only
   * the answer is; with 429 and from 500 on nothing is, so that a repetition runs. An answer that cannot be
   * kept is null. Rejects if it could not be kept or committed, or the attempt was given up before.
   */
  end(answer: Omit<KeptAnswer, 'fingerprint'> | null): Promise<void>
}

export interface AttemptRequest {
  readonly owner: KeyOwner
  readonly fingerprint: string
  /** Opens the transaction in which the request does its work. */
  open(): Promise<OpenTransaction>
}

export interface AttemptsOptions {
  /** Milliseconds that a request waits for another one with the same key. */
  readonly patience: number
  /** Milliseconds after which a transaction is rolled back whatever the request is doing. */
  readonly openAtMost: number
  /** Seals the bodies of kept answers, some of which hold secrets. */
  readonly secretBox: SecretBox
  /** Told when a rollback fails; the connection is then the database's to clean up. */
  onError(error: unknown): void
}

const savepoint = 'request'

/** Builds the way in for requests with idempotency keys. */
export function createAttempts(options: AttemptsOptions): { begin(request: AttemptRequest): Promise<Begun> } {
  // Twins in this process wait here, where waiting holds no connection; those of other replicas in the database.
  const queue = createKeyedQueue()

  return {
    async begin(request) {
      const leave = await queue.enter(toKeyName(request.owner), options.patience)
      if (!leave) throw toBusy()
      try {
        return await beginAlone(request, { ...options, leave })
      } catch (error) {
        leave()
        throw isLockTimeout(error) ? toBusy(error) : error
      }
    },
  }
}

async function beginAlone(
  request: AttemptRequest,
  options: AttemptsOptions & { leave(): void },
): Promise<Begun> {
  const transaction = await request.open()
  try {
    await holdKey(transaction.trx, request.owner, options.patience)
    const answer = await findAnswer(transaction.trx, request.owner, options.secretBox)
    if (!answer) {
      await transaction.savepoint(savepoint)
      return { kind: 'fresh', attempt: createAttempt(request, transaction, options) }
    }
    await transaction.rollback()
    options.leave()
    return { kind: 'answered', answer }
  } catch (error) {
    await transaction.rollback().catch(options.onError)
    throw error
  }
}

function createAttempt(
  { owner, fingerprint }: AttemptRequest,
  transaction: OpenTransaction,
  { openAtMost, secretBox, onError, leave }: AttemptsOptions & { leave(): void },
): Attempt {
  let isGivenUp = false
  const timer = setTimeout(() => {
    isGivenUp = true
    transaction.rollback().catch(onError).finally(leave)
  }, openAtMost)

  return {
    async end(answer) {
      clearTimeout(timer)
      if (isGivenUp) throw toGivenUp()
      try {
        await conclude(answer)
      } catch (error) {
        await transaction.rollback().catch(onError)
        throw error
      } finally {
        leave()
      }
    },
  }

  async function conclude(answer: Omit<KeptAnswer, 'fingerprint'> | null): Promise<void> {
    if (!answer) throw new TypeError('an answer that is a stream cannot be kept under an idempotency key')
    if (answer.status === 429 || answer.status >= 500) return transaction.rollback()
    if (answer.status >= 400) await transaction.rollbackTo(savepoint)
    await keepAnswer(transaction.trx, owner, { answer: { ...answer, fingerprint }, secretBox })
    await transaction.commit()
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03'
}

function toBusy(cause?: unknown): Problem {
  const detail =
    'Another request with this Idempotency-Key is still running. Send this one again in a moment.'
  return problem('unavailable', detail, { headers: { 'retry-after': '5' }, cause })
}

function toGivenUp(): Problem {
  const detail = 'The request took too long and was rolled back. Send it again with the same Idempotency-Key.'
  return problem('unavailable', detail, { headers: { 'retry-after': '5' } })
}
