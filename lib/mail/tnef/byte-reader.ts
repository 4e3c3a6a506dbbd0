/** Reads little-endian bytes from front to back. Throws a `RangeError` where there are not as many. */
export class ByteReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  uint8(): number {
    return this.take(1).readUInt8()
  }

  uint16(): number {
    return this.take(2).readUInt16LE()
  }

  uint32(): number {
    return this.take(4).readUInt32LE()
  }

  /** Not a copy. */
  take(length: number): Buffer {
    const end = this.#at + length
    if (end > this.#bytes.length)
      throw new RangeError(`${length} bytes from ${this.#at} are more than there are`)
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }

  /** To the next multiple of four. The last may be missing. */
  skipPadding(): void {
    this.#at = Math.min(this.#bytes.length, Math.ceil(this.#at / 4) * 4)
  }
}
