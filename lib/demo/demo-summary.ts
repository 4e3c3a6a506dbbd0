import { toAudiences } from '../identity/tokens.ts'

export interface DemoSummary {
  publicUrl: string
  /** Where mail is taken in: host and port. */
  smtp: string
  /** Where metrics are read; null: they are not asked for. */
  metrics: string | null
  /** As it has to be given to other commands; null for the usual one. */
  dataDir: string | null
  /** An access token for POST /mcp. */
  token: string
  /** Whose it is. */
  user: string
  /** What everybody of the demo logs in with. */
  password: string
  workspaceId: string
}

/** What the demo prints when it is ready. */
export function toDemoSummary(summary: DemoSummary): string {
  const { publicUrl, smtp, metrics, dataDir, token, user, password, workspaceId } = summary
  const { api, mcp } = toAudiences(publicUrl)
  const prefix = dataDir === null ? '' : `DATA_DIR=${quote(dataDir)} `
  const newToken = `${prefix}npm run --silent token -- --user ${user}`
  return `
Ready.

  REST   ${api}
  MCP    ${mcp}
  SMTP   ${smtp}, for mail to the inboxes
  Docs   ${publicUrl}/docs${metrics === null ? '' : `\n\nMetrics for Prometheus are at ${metrics}`}

Log in as ${user}, or anybody else of the demo, with the password ${password}

Token for MCP, of ${user} (admin of Billing and Support), good for 12 hours:

${token}

Try the tools, in the workspace Billing:

  curl -s ${mcp} -H 'Content-Type: application/json' -H 'X-Workspace-Id: ${workspaceId}' \\
    -H "Authorization: Bearer $(${newToken} --audience mcp)" \\
    -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"emails_list","arguments":{"limit":2}}}'

Try the same over REST:

  curl -s '${api}/emails?limit=2' -H 'X-Workspace-Id: ${workspaceId}' \\
    -H "Authorization: Bearer $(${newToken} --audience api)"

Ctrl-C stops it; the data stays.
`
}

function quote(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
