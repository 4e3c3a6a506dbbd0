/** A URI template of RFC 6570, level 1: literal text and `{name}`. */
export interface UriTemplate {
  /** The variables, in order. */
  readonly names: readonly string[]
  /** The values in a URI of this form, decoded; null when the URI has another form. */
  match(uri: string): Readonly<Record<string, string>> | null
  /** The URI for these values; null when one is missing or empty. */
  expand(values: Readonly<Record<string, unknown>>): string | null
}

// What an expansion of level 1 consists of (RFC 6570, 3.2.2): unreserved characters and percent-encoded ones. A `/`
// in a value is `%2F`, so that no value can reach into the next segment.
const value = '((?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+)'

/** Compiles a template. Throws an Error for anything beyond level 1, and for a name that stands twice. */
export function compileUriTemplate(template: string): UriTemplate {
  const parts = template.split(/\{([^{}]*)\}/)
  const literals = parts.filter((_, index) => index % 2 === 0)
  const names = parts.filter((_, index) => index % 2 === 1)
  if (literals.some(literal => /[{}]/.test(literal))) throw new Error('a brace has no partner')
  if (!names.every(name => /^[A-Za-z0-9_]+$/.test(name))) throw new Error('only {name} is understood')
  if (new Set(names).size !== names.length) throw new Error('a name stands twice')
  // With nothing between two values that neither can hold, they could be told apart in more than one way.
  if (literals.slice(1, -1).some(literal => /^[A-Za-z0-9._~%-]*$/.test(literal)))
    throw new Error('two values touch')
  const pattern = new RegExp(
    `^${parts.map((part, index) => (index % 2 === 1 ? value : escapePattern(part))).join('')}$`,
  )
  return {
    names,
    match: uri => matchUri(uri, { pattern, names }),
    expand: values => expandUri(parts, values),
  }
}

function matchUri(
  uri: string,
  { pattern, names }: { readonly pattern: RegExp; readonly names: readonly string[] },
): Readonly<Record<string, string>> | null {
  const found = uri.length <= 4_000 ? pattern.exec(uri) : null
  if (found === null) return null
  try {
    return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(found[index + 1] ?? '')]))
  } catch {
    return null
  }
}

function expandUri(parts: readonly string[], values: Readonly<Record<string, unknown>>): string | null {
  let uri = ''
  for (const [index, part] of parts.entries()) {
    const text = index % 2 === 0 ? part : values[part]
    if (typeof text !== 'string' || (index % 2 === 1 && (text === '' || !text.isWellFormed()))) return null
    // encodeURIComponent leaves five characters that RFC 6570 reserves.
    uri += index % 2 === 0 ? text : encodeURIComponent(text).replaceAll(/[!'()*]/g, toPercent)
  }
  return uri
}

function toPercent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}
