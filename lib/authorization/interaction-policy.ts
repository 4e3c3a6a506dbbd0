import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'

/**
 * When a person is asked: to log in where nobody is, or who is may not be any more; to consent to every scope that the
 * consent at hand does not cover, and each time to a program on the person's own machine, since any other one there
 * could pass for it (RFC 8252 section 8.6).
 */
export function createInteractionPolicy(): interactionPolicy.DefaultPolicy {
  const { Check, base } = interactionPolicy
  const policy = base()
  const login = policy.get('login')
  const consent = policy.get('consent')
  if (!login || !consent) throw new Error('the library has other prompts than it had')

  login.checks.add(
    new Check('account_gone', 'the account of the session cannot log in', ({ oidc }) =>
      oidc.session?.accountId !== undefined && oidc.account === undefined
        ? Check.REQUEST_PROMPT
        : Check.NO_NEED_TO_PROMPT,
    ),
  )
  // There are no scopes or claims of OpenID Connect here to consent to; and what a person took away once is asked
  // again, which is how a client steps up.
  for (const reason of ['op_scopes_missing', 'op_claims_missing', 'rs_scopes_missing', 'rar_prompt']) {
    consent.checks.remove(reason)
  }
  consent.checks.add(
    new Check('scopes_missing', 'scopes were not consented to', ctx =>
      isAnswered(ctx) || isCovered(ctx) ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT,
    ),
  )
  return policy
}

/** In this very flow: what was left out of the answer is not asked for over and over. */
function isAnswered({ oidc }: KoaContextWithOIDC): boolean {
  return oidc.result?.consent !== undefined
}

function isCovered({ oidc }: KoaContextWithOIDC): boolean {
  const { grant } = oidc
  if (!grant) return false
  return Object.keys(oidc.resourceServers ?? {}).every(resource => {
    const granted = new Set(grant.getResourceScope(resource).split(' '))
    return [...oidc.requestParamScopes].every(scope => granted.has(scope))
  })
}
