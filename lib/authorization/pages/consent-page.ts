import { escapeHtml, toPage } from './page.ts'

export interface ConsentPage {
  /** Path of the interaction, to which the forms go. */
  readonly path: string
  readonly csrf: string
  readonly clientName: string
  /** Who vouches for the name: the host of the client's metadata document; null where the client only said it. */
  readonly clientHost: string | null
  /** Where the answer goes, in words. */
  readonly redirectPlace: string
  /** Who is logged in. */
  readonly person: { readonly name: string; readonly email: string }
  /** What can be allowed; none where the person may do nothing of what was asked. */
  readonly scopes: readonly { readonly name: string; readonly words: string }[]
  /** Nothing to choose where there is one or none. */
  readonly workspaces: readonly { readonly id: string; readonly name: string }[]
}

/** Where a person allows a client all, some or nothing of what it asks for. */
export function toConsentPage(page: ConsentPage): string {
  const { path, csrf, clientName, person } = page
  return toPage({
    title: `Allow ${clientName}`,
    main: `<h1>Allow ${escapeHtml(clientName)} to act for you?</h1>
<p>You are logged in as <strong>${escapeHtml(person.name)}</strong> (${escapeHtml(person.email)}).
<a href="${escapeHtml(path)}/login">Log in as somebody else</a></p>
<dl>
<dt>Application</dt><dd>${escapeHtml(clientName)}</dd>
<dt>Name confirmed by</dt><dd>${escapeHtml(page.clientHost ?? 'nobody, it named itself')}</dd>
<dt>Your answer goes to</dt><dd>${escapeHtml(page.redirectPlace)}</dd>
</dl>
<form method="post" action="${escapeHtml(path)}/consent">
<input type="hidden" name="csrf" value="${escapeHtml(csrf)}">
${page.scopes.length > 0 ? toChoice(page) : toNoChoice(page)}
</form>`,
  })
}

function toChoice({ scopes, workspaces }: ConsentPage): string {
  return `<fieldset>
<legend>It may</legend>
${scopes.map(toCheckbox).join('\n')}
</fieldset>
${toWorkspaces(workspaces)}
<div class="actions">
<button type="submit" name="answer" value="allow">Allow</button>
<button type="submit" name="answer" value="deny" class="second">Deny</button>
</div>
<p class="note">It can never do more than you can yourself. Untick what it does not need; what it may not see, it may
not change either.</p>`
}

/** Nothing to tick: why, and the way back. A button to allow would give nothing, and look as if it had. */
function toNoChoice({ workspaces }: ConsentPage): string {
  const why =
    workspaces.length === 0
      ? 'You belong to no workspace, so that there is nothing you could allow. An admin of your organization can invite you to one.'
      : 'What it asks for is more than your role allows. An admin of your workspace can change your role.'
  return `<p class="error" role="alert">${why}</p>
<div class="actions">
<button type="submit" name="answer" value="deny">Back to the application</button>
</div>`
}

function toCheckbox({ name, words }: ConsentPage['scopes'][number]): string {
  const id = `scope-${name.replace(':', '-')}`
  return `<label for="${id}"><input type="checkbox" id="${id}" name="scope" value="${name}" checked>
<span>${escapeHtml(words)}</span></label>`
}

function toWorkspaces(workspaces: ConsentPage['workspaces']): string {
  if (workspaces.length < 2) return ''
  const radios = workspaces.map(
    (
      { id, name },
      at,
    ) => `<label for="${escapeHtml(id)}"><input type="radio" id="${escapeHtml(id)}" name="workspace"
value="${escapeHtml(id)}"${at === 0 ? ' checked' : ''}><span>${escapeHtml(name)}</span></label>`,
  )
  return `<fieldset>
<legend>Workspace to start in</legend>
${radios.join('\n')}
</fieldset>`
}
