import { z } from 'zod'
import { ifMatchHeader } from '../versions/if-match.ts'

const key = z
  .string()
  .min(1)
  .max(255)
  .optional()
  .describe(
    'A text of your own choice that makes a retry safe: for 24 hours the same key with the same request gives the first answer again and does nothing twice. Take a new one for each new intention.',
  )

const version = ifMatchHeader
  .optional()
  .describe(
    'The version that this is based on, in double quotes: "3" for version 3. If the record has another one by now, nothing happens and the answer is 412 precondition_failed. Left out, or *: whatever its version.',
  )

/** Headers of a request that creates something. Loose, because requests carry many other headers. */
export const createHeaders = z.looseObject({ 'idempotency-key': key })

/** Headers of a request that changes what may have been changed by somebody else meanwhile. */
export const editHeaders = z.looseObject({ 'if-match': version, 'idempotency-key': key })
