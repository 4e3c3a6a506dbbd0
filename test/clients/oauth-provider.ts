import type { OAuthClientProvider as Provider2 } from '@modelcontextprotocol/client'
import type { OAuthClientProvider as Provider1 } from '@modelcontextprotocol/sdk/client/auth.js'

/** What a client keeps between its runs, and where it last sent its person. */
export interface Kept {
  readonly provider: Provider1 & Provider2
  /** Where the person is to go. */
  visited: URL | null
  forgetTokens(): void
  readonly tokens: () => { readonly access_token: string; readonly scope?: string | undefined } | undefined
}

/** An OAuth provider as the official clients want it, in memory; it serves both generations. */
export function createOAuthProvider(redirectUrl: string): Kept {
  let client: Awaited<ReturnType<Provider2['clientInformation']>>
  let tokens: Awaited<ReturnType<Provider2['tokens']>>
  let verifier = ''
  let discovered: Awaited<ReturnType<NonNullable<Provider2['discoveryState']>>>
  const kept: Kept = {
    visited: null,
    forgetTokens: () => {
      tokens = undefined
    },
    tokens: () => tokens,
    provider: {
      redirectUrl,
      clientMetadata: {
        client_name: 'An official client',
        redirect_uris: [redirectUrl],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
      clientInformation: () => client,
      saveClientInformation: information => {
        client = information
      },
      tokens: () => tokens,
      saveTokens: saved => {
        tokens = saved
      },
      redirectToAuthorization: url => {
        kept.visited = url
      },
      saveCodeVerifier: text => {
        verifier = text
      },
      codeVerifier: () => verifier,
      saveDiscoveryState: state => {
        discovered = state
      },
      discoveryState: () => discovered,
    },
  }
  return kept
}
