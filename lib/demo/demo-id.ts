import { createHash } from 'node:crypto'
import type { IdPrefix } from '../id/id.ts'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const epoch = BigInt(Date.parse('2026-08-01T12:00:00Z'))

/**
 * An id that is the same in every demo, so that its documentation can name it. It has the form of any other
 * id (a UUIDv7): the moment of the demo's beginning plus `position` milliseconds, then a hash of the name.
 * Within a kind, ids sort by position.
 */
export function toDemoId<Prefix extends IdPrefix>(
  prefix: Prefix,
  { position, name }: { position: number; name: string },
): `${Prefix}_${string}` {
  const hash = createHash('sha256').update(`${prefix}/${name}`).digest()
  const time = (epoch + BigInt(position)) << 80n
  const version = BigInt(0x7000 | (hash.readUInt16BE(0) & 0xfff)) << 64n
  const variant = (0b10n << 62n) | (hash.readBigUInt64BE(2) & 0x3fff_ffff_ffff_ffffn)
  return `${prefix}_${toBase32(time | version | variant)}`
}

function toBase32(uuid: bigint): string {
  const shifts = Array.from({ length: 26 }, (_, index) => BigInt(125 - index * 5))
  return shifts.map(shift => alphabet[Number((uuid >> shift) & 31n)]).join('')
}
