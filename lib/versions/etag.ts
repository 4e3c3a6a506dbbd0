/** The strong entity tag of a record (RFC 9110, section 8.8.3): its `version` member in quotes. */
export function toEtag(version: number): string {
  return `"${version}"`
}
