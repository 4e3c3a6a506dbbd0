/** What a client's secret is sealed for. */
export function toClientContext(id: string): string {
  return `oauth-client ${id}`
}
