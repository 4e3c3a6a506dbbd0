/**
 * The headers with which a stranger's file leaves: a browser is to store it, under its own name, and neither
 * to show it nor to guess what it is. What could run in the API's own origin if it were shown after all (HTML,
 * SVG, XML, scripts) is called a stream of bytes; so is whatever is not known to be harmless.
 */
export function toDownloadHeaders({
  id,
  filename,
  contentType,
}: {
  id: string
  filename: string | null
  contentType: string
}): Record<string, string> {
  return {
    'content-type': isPassive(contentType) ? contentType : 'application/octet-stream',
    'content-disposition': toDisposition(filename ?? id),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  }
}

const passive = new Set([
  'application/gzip',
  'application/json',
  'application/pdf',
  'application/zip',
  'message/rfc822',
  'text/calendar',
  'text/csv',
  'text/plain',
])

/** Documents of offices, pictures without scripts in them, sound and film. */
function isPassive(contentType: string): boolean {
  const type = contentType.toLowerCase()
  if (passive.has(type)) return true
  if (/^image\/(?:png|jpeg|gif|webp|bmp|tiff|heic|avif)$/.test(type)) return true
  return (
    /^(?:audio|video)\/[\w.+-]+$/.test(type) ||
    /^application\/vnd\.(?:openxmlformats|oasis)[\w.-]+$/.test(type)
  )
}

/** RFC 6266 with both forms: the plain one for old clients, RFC 8187 for the real name. */
function toDisposition(filename: string): string {
  // Not well-formed UTF-16 cannot be encoded; a name that hides its end (RTL override) is no name.
  const name = filename.replace(/[\p{Cs}\p{Cc}\p{Bidi_Control}]/gu, '').trim() || 'attachment'
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]|["\\%]/gu, '_')
  const encoded = encodeURIComponent(name).replace(/['()*]/g, toPercent)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}

function toPercent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
