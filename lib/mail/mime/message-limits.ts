/** How much of a message is read. What goes beyond is refused with a reason. */
export interface MessageLimits {
  readonly maxBytes: number
  /** All header lines of the message and its parts together: their bytes, and how many they are. */
  readonly maxHeaderBytes: number
  readonly maxHeaders: number
  readonly maxParts: number
  /** Multiparts inside multiparts. A forwarded message counts as an attachment and is not opened. */
  readonly maxDepth: number
  readonly maxAttachments: number
  /** Text and HTML together, without attachments, decoded. */
  readonly maxTextBytes: number
}

/** Well above what mail programs make, well below what hurts: a second of work, not a minute. */
export const messageLimits: MessageLimits = Object.freeze({
  maxBytes: 26_214_400,
  maxHeaderBytes: 262_144,
  maxHeaders: 5_000,
  maxParts: 1_000,
  maxDepth: 20,
  maxAttachments: 250,
  maxTextBytes: 5_242_880,
})
