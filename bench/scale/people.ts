import { generateKeyPairSync } from 'node:crypto'
import { demoRows, toTenant } from '../../lib/demo/demo-rows.ts'
import { demoAddresses } from '../../lib/demo/messages/inboxes.ts'
import { toAudiences } from '../../lib/identity/audiences.ts'
import { allScopes } from '../../lib/identity/scopes.ts'
import { createTokenSigner } from '../../lib/identity/tokens.ts'

/** Where everything below happens: the demo's Billing workspace, of which this admin has no other. */
const email = 'bia@acme.test'
const { organization_id, workspace_id } = toTenant('Billing')
export const tenant = { organizationId: organization_id, workspaceId: workspace_id }
export const mailAddress = demoAddresses.invoices

/** What the replicas believe to be their URL: tokens are bound to it. */
export const publicUrl = 'http://inbox.test'
const issuer = 'http://issuer.test'

/** The keys of an authorization server of ours, and who has tokens of it. */
export interface People {
  /** PEM, for the replicas. */
  readonly publicKey: string
  readonly issuer: string
  /** The `Authorization` header of an admin who acts through this client. */
  bearer(audience: 'api' | 'mcp', clientId?: string): string
}

export function createPeople(): People {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const userId = demoRows.users.find(user => user.email === email)?.id ?? ''
  const sign = createTokenSigner(pem)
  const made = new Map<string, string>()
  const make = (audience: 'api' | 'mcp', clientId: string) =>
    `Bearer ${sign({
      issuer,
      audience: toAudiences(publicUrl)[audience],
      userId,
      clientId,
      scopes: allScopes,
      lifetime: 86_400,
    })}`
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    issuer,
    bearer(audience, clientId = 'scale') {
      const name = `${audience} ${clientId}`
      const token = made.get(name) ?? make(audience, clientId)
      made.set(name, token)
      return token
    },
  }
}
