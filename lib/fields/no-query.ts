import { z } from 'zod'

/** The query of an operation without parameters: whatever stands in it is refused by name. */
export const noQuery = z.strictObject({})
