export interface MessageCodes {
  /** 47 or 48 digits each, without punctuation. */
  boletos: string[]
  pix: string[]
  nfeKeys: string[]
  cnpjs: string[]
  cpfs: string[]
}

/** One message of the demo, ready to be delivered. */
export interface DemoMessage {
  /** Stable name, such as `billing/017-boleto`; never sent. */
  key: string
  inbox: string
  envelopeFrom: string
  /** When it arrives. Equal to the Date header, where the message has one. */
  date: Date
  raw: Buffer
  /** How the worker must end it. */
  outcome: 'processed' | 'failed' | 'rejected'
  /** What can be proved from text, HTML or attachments. */
  codes: MessageCodes
}
