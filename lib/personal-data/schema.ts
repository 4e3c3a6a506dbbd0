import { z } from 'zod'
import { timestamp } from '../fields/timestamp.ts'
import { hasOneSubject, oneSubject, subjectMembers } from './subject.ts'

/** Whose data is to be exported or erased, as a body. */
export const subjectBody = z.strictObject(subjectMembers).refine(hasOneSubject, oneSubject)

/** The same, as a query. */
export const subjectQuery = z.strictObject(subjectMembers).refine(hasOneSubject, oneSubject)

export const erasurePreview = z.object({
  emails: z.int().describe('E-mails that an erasure would delete for good.'),
  bytes: z.int().describe('The size of these messages.'),
})

/** An erasure tells what it did and never whose data it was. */
export const erasure = z.object({
  id: z.string(),
  subject_kind: z.enum(['address', 'document']),
  emails: z.int().describe('E-mails deleted so far.'),
  bytes: z.int().describe('The size of these messages.'),
  created_at: timestamp,
  finished_at: timestamp.nullable().describe('null while there is something left to do.'),
})

export const erasurePath = z.strictObject({
  id: z
    .string()
    .describe('The id of the erasure, era_ and 26 characters, as the resource of its operation has it.'),
})

export type Erasure = z.infer<typeof erasure>
