import { escapeHtml, toPage } from './page.ts'

export interface LoginPage {
  /** Path of the interaction, to which the forms go. */
  readonly path: string
  readonly csrf: string
  /** How the client calls itself. */
  readonly clientName: string
  /** What is in the field for the address. */
  readonly email: string
  /** What was wrong with the last attempt, for a person. */
  readonly error: string | null
}

/** Where a person says who they are. */
export function toLoginPage({ path, csrf, clientName, email, error }: LoginPage): string {
  const hidden = `<input type="hidden" name="csrf" value="${escapeHtml(csrf)}">`
  const described = error === null ? '' : ' aria-describedby="error" aria-invalid="true"'
  return toPage({
    title: error === null ? 'Log in' : 'Error: log in',
    main: `<h1>Log in</h1>
${error === null ? '' : `<div class="error" role="alert" id="error">${escapeHtml(error)}</div>`}
<p>To continue to <strong>${escapeHtml(clientName)}</strong>.</p>
<form method="post" action="${escapeHtml(path)}/login">
${hidden}
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="320" value="${escapeHtml(email)}"${described}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1024"${described}>
<div class="actions">
<button type="submit">Log in</button>
<button type="submit" class="second" formaction="${escapeHtml(path)}/cancel" formnovalidate>Cancel</button>
</div>
</form>
<p class="note">No password, or a forgotten one? An administrator of your organization can give you a link to set it.</p>`,
  })
}
