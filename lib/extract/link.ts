import { z } from 'zod'
import type { Finder } from './finding.ts'

export const linkDetails = z.object({
  scheme: z.enum(['http', 'https']),
  host: z.string().meta({ description: 'Host name as it is resolved: lower case, punycode' }),
  written: z.enum(['text', 'href']).meta({ description: 'Whether it stands in the text or behind it' }),
})

export type LinkDetails = z.infer<typeof linkDetails>

const LINK = /https?:\/\/[^\s<>"`{}|\\^\p{Cc}]+/giu
const LONGEST = 4096
const PUNCTUATION = /[)\].,;:!?'*_~”’»…]$/u

/**
 * Web addresses (http and https) in the text and behind links, of 4,096 characters at most. The value is the
 * address as WHATWG URL writes it; nothing is judged or followed.
 */
export const findLinks: Finder<LinkDetails> = function* ({ text, hrefs }) {
  const seen = new Set<string>()
  for (const match of text.matchAll(LINK)) {
    // Whoever wants to hide a link can make one too long to open; cutting it would report another address.
    if (seen.has(match[0]) || match[0].length > LONGEST + 16) continue
    seen.add(match[0])
    const written = dropPunctuation(match[0])
    const link = parseLink(written, 'text')
    if (link) yield { ...link, at: { start: match.index, end: match.index + written.length } }
  }
  seen.clear()
  for (const { url, place } of hrefs) {
    if (seen.has(url)) continue
    seen.add(url)
    const link = parseLink(url.trim(), 'href')
    if (link) yield { ...link, at: { start: 0, end: 0 }, place }
  }
}

function parseLink(text: string, written: LinkDetails['written']) {
  if (text.length > LONGEST || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return null
  const url = new URL(text)
  const scheme = url.protocol === 'https:' ? ('https' as const) : ('http' as const)
  return { value: url.href, details: { scheme, host: url.hostname, written } }
}

// The sentence goes on after a link: its punctuation is not the link's, nor is a bracket that was opened before.
function dropPunctuation(link: string): string {
  if (!PUNCTUATION.test(link)) return link
  const surplus = { ')': count(link, ')') - count(link, '('), ']': count(link, ']') - count(link, '[') }
  let end = link.length
  for (; end > 0; end--) {
    const last = link[end - 1] ?? ''
    if (last === ')' || last === ']') {
      if (surplus[last]-- <= 0) break
    } else if (!PUNCTUATION.test(last)) break
  }
  return link.slice(0, end)
}

function count(text: string, character: string): number {
  return text.split(character).length - 1
}
