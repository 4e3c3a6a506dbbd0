/** Where a link leads, below the public URL. */
export const linkPath = '/people/link'

/**
 * The link that a person opens. The token is in the query, which no log of ours has; not in the fragment, which a page
 * without scripts never sees.
 */
export function toLinkUrl(publicUrl: string, token: string): string {
  return `${publicUrl}${linkPath}?token=${token}`
}
