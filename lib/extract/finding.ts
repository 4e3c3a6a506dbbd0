import type { Stretch } from './offset-map.ts'
import type { Readable } from './readable.ts'

/** A proved value and where it stands in the text that was searched. */
export interface Finding<Details> {
  readonly value: string
  readonly details: Details
  readonly at: Stretch
  /** Where it stands in the source, if not in its text but in an attribute. */
  readonly place?: Stretch
}

export interface FindContext {
  /** The message's day, YYYY-MM-DD: what is written without a century is read near it. */
  readonly messageDay: string
  /** Whether the stretch lies in something longer that was already proved, as a field of a boleto line does. */
  isTaken(stretch: Stretch): boolean
}

/** Finds one kind, lazily: who has enough stops asking. Values may come more than once. */
export type Finder<Details> = (readable: Readable, context: FindContext) => Iterable<Finding<Details>>
