/** How much all messages together that are being received may hold in memory. */
export interface ByteBudget {
  /** A share for one message. It must be given back, on every path. */
  open(): ByteShare
}

export interface ByteShare {
  /** Makes the share this large; false if there is not so much left, and then nothing changes. */
  resize(bytes: number): boolean
  /** Gives all of it back. */
  release(): void
}

export function createByteBudget(limit: number): ByteBudget {
  let used = 0
  return {
    open() {
      let held = 0
      return {
        resize(bytes) {
          if (used - held + bytes > limit) return false
          used += bytes - held
          held = bytes
          return true
        },
        release() {
          used -= held
          held = 0
        },
      }
    },
  }
}
