import { type Charset, encodeCharset } from './charset.ts'

/**
 * RFC 2047 encoded words, each at most 75 characters, folded onto lines of their own. Q for the single-byte
 * charsets, B for Japanese, as the mail programs of each world write them.
 */
export function toEncodedWords(text: string, charset: Charset): string {
  const characters = [...text]
  const size = charset === 'iso-2022-jp' ? 15 : 17
  const words: string[] = []
  for (let start = 0; start < characters.length; start += size) {
    words.push(toEncodedWord(characters.slice(start, start + size).join(''), charset))
  }
  return words.join('\r\n ')
}

function toEncodedWord(text: string, charset: Charset): string {
  const bytes = encodeCharset(text, charset)
  if (charset === 'iso-2022-jp') return `=?ISO-2022-JP?B?${bytes.toString('base64')}?=`
  return `=?${charset}?Q?${[...bytes].map(toQ).join('')}?=`
}

function toQ(byte: number): string {
  const character = String.fromCharCode(byte)
  if (character === ' ') return '_'
  if (/[A-Za-z0-9!*+/-]/.test(character)) return character
  return `=${byte.toString(16).toUpperCase().padStart(2, '0')}`
}
