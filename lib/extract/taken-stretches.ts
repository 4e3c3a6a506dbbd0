import type { Stretch } from './offset-map.ts'

/** Stretches of one text that something proved already takes. */
export class TakenStretches {
  readonly #stretches: Stretch[] = []
  // Of the stretches in order, the farthest end up to each.
  #ends: number[] = []

  add(stretch: Stretch): void {
    this.#stretches.push(stretch)
    this.#ends = []
  }

  has({ start, end }: Stretch): boolean {
    if (this.#ends.length === 0) this.#prepare()
    let low = 0
    let high = this.#stretches.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#stretches[middle]?.start ?? 0) < end) low = middle + 1
      else high = middle
    }
    return low > 0 && (this.#ends[low - 1] ?? 0) > start
  }

  // A text can repeat one boleto a hundred thousand times: looking must not take a walk over all of them.
  #prepare(): void {
    this.#stretches.sort((a, b) => a.start - b.start)
    let end = 0
    this.#ends = this.#stretches.map(stretch => {
      end = Math.max(end, stretch.end)
      return end
    })
  }
}
