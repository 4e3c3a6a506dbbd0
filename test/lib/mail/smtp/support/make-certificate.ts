import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

export interface TestCertificate {
  readonly cert: string
  readonly key: string
}

/**
 * A certificate that signs itself, for a host, made here and now: the TBSCertificate of RFC 5280, section 4.1,
 * written by hand, because Node.js can read certificates and not make them.
 */
export function makeCertificate(host: string): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const body = toBody(host, publicKey)
  const signature = sign('sha256', body, privateKey)
  const der = sequence(body, ecdsaWithSha256, tlv(0x03, Buffer.from([0]), signature))
  const base64 = der.toString('base64').replace(/.{64}/g, '$&\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function toBody(host: string, publicKey: KeyObject): Buffer {
  const commonName = sequence(oid('550403'), tlv(0x0c, Buffer.from(host)))
  const name = sequence(tlv(0x31, commonName))
  const names = sequence(tlv(0x82, Buffer.from(host)))
  const alternativeName = sequence(oid('551d11'), tlv(0x04, names))
  return sequence(
    tlv(0xa0, integer(2)),
    integer(Math.ceil(Math.random() * 1e9)),
    ecdsaWithSha256,
    name,
    sequence(time(Date.now() - 86_400_000), time(Date.now() + 86_400_000)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(alternativeName)),
  )
}

/** An element of DER, X.690: tag, length, value. */
function tlv(tag: number, ...values: Buffer[]): Buffer {
  const value = Buffer.concat(values)
  const { length } = value
  const head = length < 128 ? [tag, length] : [tag, 0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from(head), value])
}

function sequence(...values: Buffer[]): Buffer {
  return tlv(0x30, ...values)
}

function oid(hex: string): Buffer {
  return tlv(0x06, Buffer.from(hex, 'hex'))
}

function integer(value: number): Buffer {
  const bytes = Buffer.alloc(5)
  bytes.writeUInt32BE(value, 1)
  const first = bytes.findIndex((byte, index) => byte !== 0 || index === 4)
  const isNegative = (bytes[first] ?? 0) > 127
  return tlv(0x02, bytes.subarray(isNegative ? first - 1 : first))
}

/** GeneralizedTime is for years from 2050 on; RFC 5280, section 4.1.2.5. */
function time(milliseconds: number): Buffer {
  const text = new Date(milliseconds).toISOString().replace(/[-:T]|\.\d+/g, '')
  return tlv(0x17, Buffer.from(text.slice(2)))
}

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))
