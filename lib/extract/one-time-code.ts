import { z } from 'zod'
import type { Finder } from './finding.ts'
import type { Stretch } from './offset-map.ts'

export const oneTimeCodeDetails = z.object({
  written: z.enum(['digits', 'alphanumeric']),
  keyword: z.string().meta({ description: 'The word that the code stands by' }),
})

export type OneTimeCodeDetails = z.infer<typeof oneTimeCodeDetails>

const NOUN = /(?<![\p{L}\d])(?:c[óo]digo|code|passcode|otp|pin|token|senha)(?![\p{L}\d])/giu
// 4 to 8 digits or capitals with digits, or twice three digits.
const TOKEN = new RegExp(
  [
    String.raw`(?<![\p{L}\d]|[\d$€£][ .,/-]?|[./@#=&-])(?:G-)?`,
    String.raw`(\d{3}[ -]\d{3}|(?=[A-Z]*\d)[A-Z\d]{4,8})`,
    String.raw`(?![\p{L}\d%@]|[.,/:-]\d|[ -]\d|-\p{L})`,
  ].join(''),
  'gu',
)
// The beginnings of words that tell of a code that lets somebody in, once.
const PURPOSE = anyOf(`verific verify confirm autentica authenti acess access log.?in sign.?in entrar
  seguran security otp passcode one.time [úu]nico tempor[áa]ri 2fa duas.etapas two.(?:step|factor)
  expira expire v[áa]lid compartilh share`)
const POSSESSIVE = /(?<!\p{L})(?:seu|sua|teu|your)(?: [\p{L}\d]+){0,2} ?$/iu
// Codes of other things.
const OTHER =
  anyOf(`barras digit[áa]vel postal zip cep produt product item sku ncm cfop cliente customer rastre
  track promo cupo[mn] coupon vouch descont discount erro error status http swift iban reserv book pedido order
  boleto fiscal pa[íi]s country [áa]rea fonte source qr municip refer indica convite invit turma curso fatura
  invoice contrat pix`)
const AHEAD = 60
const AROUND = 90
// Past so many of its words a source is about codes, and every one costs a look around.
const MOST_NOUNS = 2000

/**
 * Codes to sign in or confirm with: 4 to 8 digits or capitals, right by a word for it (código, code, OTP…), where
 * the words around tell what it is for. Nothing can prove such a code, so a doubt leaves it out. The value is
 * the code without blanks or hyphen.
 */
export const findOneTimeCodes: Finder<OneTimeCodeDetails> = function* ({ text }, { isTaken }) {
  let nouns = 0
  for (const noun of text.matchAll(NOUN)) {
    if (nouns++ === MOST_NOUNS) return
    const place = { start: noun.index, end: noun.index + noun[0].length }
    const token = findAfter(text, place) ?? findBefore(text, place)
    if (!token || isTaken(token.at)) continue
    const written = /^\d+$/.test(token.value) ? ('digits' as const) : ('alphanumeric' as const)
    yield { value: token.value, details: { written, keyword: noun[0].toLowerCase() }, at: token.at }
  }
}

// "Seu código de verificação é 482913", "Código de acesso:\n482913".
function findAfter(text: string, { start, end }: Stretch) {
  const token = tokensIn(text, end, end + AHEAD).next().value
  if (!token) return null
  const between = text.slice(end, token.at.start)
  const lead = text.slice(Math.max(0, start - 30), start)
  const before = /\p{L}+[ -]?$/u.exec(lead)?.[0] ?? ''
  if (/[\d.!?;]/.test(between) || OTHER.test(before + between)) return null
  const around = text.slice(Math.max(0, start - AROUND), token.at.end + AROUND)
  if (!PURPOSE.test(around) && !POSSESSIVE.test(lead)) return null
  // 2026 is a year unless it stands where only the code can.
  const isDirect = /(?::|é|eh|is|=)[ \n]?["'“(]?$/iu.test(between)
  return isYear(token.value) && !isDirect ? null : token
}

// "482913 is your verification code", "482913 é o seu código".
function findBefore(text: string, { start, end }: Stretch) {
  const from = Math.max(0, start - AHEAD)
  const token = [...tokensIn(text, from, start)].at(-1)
  if (!token) return null
  const between = text.slice(token.at.end, start)
  const isSaid =
    /^["'”)]? (?:é|eh|is|como|as)(?: (?:o|a|the))?(?: (?:seu|sua|your))?(?: [\p{L}\d]+){0,3} ?$/iu.test(
      between,
    )
  if (!isSaid || OTHER.test(between + text.slice(end, end + 20))) return null
  return PURPOSE.test(text.slice(from, end + AROUND)) || POSSESSIVE.test(between) ? token : null
}

function* tokensIn(text: string, from: number, to: number): Generator<{ value: string; at: Stretch }> {
  // What stands before and after decides as well; a token must begin inside.
  const start = Math.max(0, from - 2)
  for (const match of text.slice(start, to + 12).matchAll(TOKEN)) {
    const end = start + match.index + match[0].length
    const at = { start: end - (match[1]?.length ?? 0), end }
    if (at.start >= from && at.start <= to) yield { value: (match[1] ?? '').replace(/[ -]/, ''), at }
  }
}

function isYear(value: string): boolean {
  return /^(?:19|20)\d\d$/.test(value)
}

function anyOf(words: string): RegExp {
  return new RegExp(words.split(/\s+/).join('|'), 'iu')
}
