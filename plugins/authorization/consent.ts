import type { FastifyReply } from 'fastify'
import { errors } from 'oidc-provider'
import { chooseWorkspace } from '../../lib/authorization/grants.ts'
import { toConsentPage } from '../../lib/authorization/pages/consent-page.ts'
import { type Consenter, readConsenter } from '../../lib/authorization/read-consenter.ts'
import { toGrantedScopes, toScopesToAsk, toScopeWords } from '../../lib/authorization/scopes-to-ask.ts'
import type { Scope } from '../../lib/identity/scopes.ts'
import { findClient } from './find-client.ts'
import { refuse, sendPage, type Visit } from './pages.ts'

export async function showConsent(visit: Visit): Promise<FastifyReply> {
  const { path, csrf, reply } = visit
  const client = await findClient(visit)
  const { consenter, scopes } = await readQuestion(visit)
  const html = toConsentPage({
    path,
    csrf,
    clientName: client.name,
    clientHost: client.host,
    redirectPlace: client.redirectPlace,
    person: consenter,
    scopes: scopes.map(name => ({ name, words: toScopeWords(name, scopes) })),
    workspaces: consenter.workspaces,
  })
  return sendPage(reply, { status: 200, html, formActions: client.formActions })
}

/** Grants what was left ticked, of what was asked; nothing left is a refusal. */
export async function answerConsent(visit: Visit): Promise<FastifyReply> {
  const { form, provider, request, reply, details, app } = visit
  const { accountId, consenter, scopes } = await readQuestion(visit)
  const granted = toGrantedScopes(scopes, new Set(form.getAll('scope')))
  if (form.get('answer') !== 'allow' || granted.length === 0) return refuse(visit)

  const { client_id: clientId, resource } = details.params
  const [target] = [resource].flat()
  if (typeof clientId !== 'string' || typeof target !== 'string') throw new errors.InvalidTarget()
  // A consent of its own each time: what was allowed before is neither widened nor taken along.
  const grant = new provider.Grant({ accountId, clientId })
  grant.addResourceScope(target, granted.join(' '))
  const grantId = await grant.save()
  await chooseWorkspace(app.database, grantId, toWorkspaceId(consenter, form.get('workspace')))
  request.log.info({ clientId, userId: accountId, resource: target, scopes: granted }, 'a person consented')
  const result = { consent: { grantId } }
  const options = { mergeWithLastSubmission: true }
  return reply.redirect(await provider.interactionResult(request.raw, reply.raw, result, options), 303)
}

interface Question {
  readonly accountId: string
  readonly consenter: Consenter
  readonly scopes: readonly Scope[]
}

async function readQuestion({ details, app }: Visit): Promise<Question> {
  const accountId = details.session?.accountId
  const consenter = accountId === undefined ? null : await readConsenter(app.database, accountId)
  if (accountId === undefined || !consenter) throw new errors.SessionNotFound('nobody is logged in')
  const { scope } = details.params
  const scopes = toScopesToAsk(typeof scope === 'string' ? scope : '', consenter.permissions)
  return { accountId, consenter, scopes }
}

/** One of the person's own, whatever a form says; the first, as the page has it, where it says nothing. */
function toWorkspaceId({ workspaces }: Consenter, chosen: string | null): string | null {
  return (workspaces.find(({ id }) => id === chosen) ?? workspaces[0])?.id ?? null
}
