/** The audience of each of the two resources at a public URL. */
export function toAudiences(publicUrl: string): { readonly api: string; readonly mcp: string } {
  return { api: `${publicUrl}/api/v1`, mcp: `${publicUrl}/mcp` }
}

/** How the built-in authorization server calls itself, and where it is. */
export function toOwnIssuer(publicUrl: string): string {
  return `${publicUrl}/oauth`
}

/** Where each resource's metadata is (RFC 9728), as challenges name it. */
export function toMetadataUrls(publicUrl: string): { readonly api: string; readonly mcp: string } {
  const wellKnown = `${publicUrl}${metadataPath}`
  return { api: `${wellKnown}/api/v1`, mcp: `${wellKnown}/mcp` }
}

export const metadataPath = '/.well-known/oauth-protected-resource'
