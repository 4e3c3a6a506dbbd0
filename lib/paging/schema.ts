import { z } from 'zod'
import { queryInteger } from '../fields/query-integer.ts'

/** The query members that every list has beside its filters. */
export const pageQuery = {
  limit: queryInteger({ minimum: 1, maximum: 100 }).default(20).describe('Records per page, 1 to 100.'),
  cursor: z
    .string()
    .max(500)
    .optional()
    .describe(
      'The meta.next_cursor of the page before, with the same filters. Left out, the first page is given.',
    ),
}

/** The answer of a list: one page, and the cursor of the next one or null on the last. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return onceFor(pages, item, () =>
    z.object({
      data: z.array(item),
      meta: z.object({
        next_cursor: z
          .string()
          .nullable()
          .describe('Give it as `cursor` for the next page; null on the last.'),
      }),
    }),
  )
}

/** The answer that holds one record. */
export function recordOf<Item extends z.ZodType>(item: Item) {
  return onceFor(records, item, () => z.object({ data: item }))
}

const pages = new WeakMap<z.ZodType, z.ZodType>()
const records = new WeakMap<z.ZodType, z.ZodType>()

/** Many routes answer with the same record. What is made of a schema, such as its serializer, is kept by the schema. */
function onceFor<Schema extends z.ZodType>(
  known: WeakMap<z.ZodType, z.ZodType>,
  item: z.ZodType,
  make: () => Schema,
): Schema {
  const schema = known.get(item) ?? make()
  known.set(item, schema)
  // Each map holds what one function made of the item.
  return schema as Schema
}

/** The answer 204: no content. */
export const nothing = z.null().describe('Nothing.')
