/** A stretch of a text, as half-open positions. */
export interface Stretch {
  readonly start: number
  readonly end: number
}

/** Leads from positions in a text that was rewritten back to the text it was made of. */
export class OffsetMap {
  // Parallel arrays: a hostile text can have a million pieces.
  readonly #starts: number[] = []
  readonly #origins: number[] = []
  readonly #originEnds: number[] = []
  #length = 0

  /** Appends a piece of `width` characters that was made of `origin`. */
  add(width: number, origin: Stretch): void {
    if (width === 0) return
    this.#starts.push(this.#length)
    this.#origins.push(origin.start)
    this.#originEnds.push(origin.end)
    this.#length += width
  }

  toOrigin({ start, end }: Stretch): Stretch {
    const first = this.#find(start)
    const last = this.#find(Math.max(start, end - 1))
    return { start: this.#origin(first, start), end: this.#originEnd(last, Math.max(start, end - 1)) }
  }

  #find(position: number): number {
    let low = 0
    let high = this.#starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#starts[middle] ?? 0) <= position) low = middle
      else high = middle - 1
    }
    return low
  }

  #origin(piece: number, position: number): number {
    const end = (this.#originEnds[piece] ?? 1) - 1
    return Math.min(end, (this.#origins[piece] ?? 0) + position - (this.#starts[piece] ?? 0))
  }

  // The last character of a piece stands for all that it was made of: an entity, a run of blanks.
  #originEnd(piece: number, position: number): number {
    const next = this.#starts[piece + 1] ?? this.#length
    return position + 1 === next ? (this.#originEnds[piece] ?? 0) : this.#origin(piece, position) + 1
  }
}
