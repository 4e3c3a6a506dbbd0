import type { FastifyBaseLogger } from 'fastify'
import type { errors, KoaContextWithOIDC, Provider } from 'oidc-provider'

type FindLog = (context: KoaContextWithOIDC) => FastifyBaseLogger

/** Writes down what was given out, refused and withdrawn, and to which client: no token, code or secret. */
export function logEvents(provider: Provider, logOf: FindLog): void {
  const clientOf = ({ oidc }: KoaContextWithOIDC) => oidc.client?.clientId
  const refused = (what: string) => (context: KoaContextWithOIDC, refusal: Refusal) => {
    const { error, error_description: reason } = refusal
    logOf(context).info({ clientId: clientOf(context), error, reason, detail: toDetail(refusal) }, what)
  }

  provider.on('authorization.error', refused('authorization refused'))
  provider.on('grant.error', refused('token refused'))
  provider.on('registration_create.error', refused('client registration refused'))
  provider.on('revocation.error', refused('revocation refused'))
  provider.on('grant.success', context =>
    logOf(context).info(
      { clientId: clientOf(context), userId: context.oidc.account?.accountId },
      'token issued',
    ),
  )
  provider.on('registration_create.success', (context, { clientId, clientName }) =>
    logOf(context).info({ clientId, clientName }, 'client registered'),
  )
  provider.on('grant.revoked', context =>
    logOf(context).info({ clientId: clientOf(context) }, 'consent and its tokens withdrawn'),
  )
  provider.on('server_error', (context, err) =>
    logOf(context).error({ err }, 'the authorization server failed'),
  )
}

type Refusal = Pick<errors.OIDCProviderError, 'error' | 'error_description' | 'error_detail' | 'cause'>

/** Without the words of a parser, which quote what it was given: a client's secret, or whatever else it sent. */
function toDetail({ error_detail: detail, cause }: Refusal): string | undefined {
  return parserErrors.some(kind => cause instanceof kind) ? undefined : detail
}

const parserErrors = [SyntaxError, TypeError, RangeError]
