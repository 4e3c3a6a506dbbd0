/** CRC-16/CCITT-FALSE of the UTF-8 bytes of `text` (polynomial 1021, start FFFF), four upper-case hex digits. */
export function toCrc16(text: string): string {
  let crc = 0xffff
  for (const byte of Buffer.from(text)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : crc << 1
  }
  return crc.toString(16).toUpperCase().padStart(4, '0')
}
