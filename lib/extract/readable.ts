import type { Stretch } from './offset-map.ts'

/** A source as a person reads it, with the way back to where it stands. */
export interface Readable {
  /**
   * What is searched: runs of blanks of any kind are one space, or one line break if they hold one; invisible
   * characters are gone; every dash is `-`.
   */
  readonly text: string
  /** Addresses that stand in attributes; their places are positions of the source. */
  readonly hrefs: readonly { readonly url: string; readonly place: Stretch }[]
  /** From positions in `text` to positions in the source. */
  toSource(stretch: Stretch): Stretch
}
