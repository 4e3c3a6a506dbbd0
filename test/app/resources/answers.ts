import { z } from 'zod'
import type { Answer } from './person.ts'

const record = z.looseObject({ id: z.string() })
const one = z.looseObject({ data: record })
const page = z.strictObject({
  data: z.array(record),
  meta: z.strictObject({ next_cursor: z.string().nullable() }),
})
const problem = z.looseObject({
  code: z.string(),
  status: z.int(),
  detail: z.string(),
  request_id: z.string(),
  errors: z.array(z.strictObject({ path: z.string(), code: z.string(), message: z.string() })).optional(),
})

/** The record of an answer that holds one. */
export function toRecord({ body }: Answer): z.infer<typeof record> {
  return one.parse(body).data
}

/** The ids and the next cursor of a page. */
export function toIds({ body }: Answer): { ids: string[]; next: string | null } {
  const { data, meta } = page.parse(body)
  return { ids: data.map(({ id }) => id), next: meta.next_cursor }
}

/** The status and code of a refusal, and the paths that it names: `400 validation_failed limit, colour`. */
export function toRefusal({ status, body }: Answer): string {
  const { code, errors = [] } = problem.parse(body)
  return [status, code, errors.map(({ path }) => path).join(', ')].filter(Boolean).join(' ')
}

/** A refusal without what is different each time. */
export function withoutRequestId({ status, body }: Answer): object {
  const { request_id: _, ...rest } = problem.parse(body)
  return { ...rest, answered: status }
}
