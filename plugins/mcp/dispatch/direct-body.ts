export type Chunk = string | Uint8Array

/** The body of a response as it is written. One text, which is what most routes send, is never copied. */
export class DirectBody {
  #text = ''
  readonly #chunks: Buffer[] = []

  add(chunk: Chunk, encoding: BufferEncoding | null | undefined): void {
    const isText = typeof chunk === 'string' && (!encoding || encoding === 'utf8' || encoding === 'utf-8')
    if (isText && this.#text === '' && this.#chunks.length === 0) {
      this.#text = chunk
      return
    }
    if (this.#text !== '') this.#chunks.push(Buffer.from(this.#text))
    this.#text = ''
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding ?? 'utf8') : Buffer.from(chunk)
    this.#chunks.push(bytes)
  }

  /** All of it, with what is no Unicode replaced, as it would be on a wire. */
  toText(): string {
    return this.#chunks.length === 0 ? this.#text.toWellFormed() : Buffer.concat(this.#chunks).toString()
  }
}
