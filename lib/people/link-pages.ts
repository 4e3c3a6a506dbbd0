import { escapeHtml, toPage, toPageHeaders } from '../authorization/pages/page.ts'
import { passwordLength } from '../passwords/password-schema.ts'
import type { OpenLink } from './open-link.ts'

/** The headers of these pages. Their address holds a secret, which browsers are to tell nobody. */
export const linkPageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  ...toPageHeaders(),
  'referrer-policy': 'no-referrer',
}

/** The form that a link opens. `fault` says what is wrong with the password that was sent; null at first. */
export function toPasswordPage(
  link: OpenLink,
  { token, fault }: { token: string; fault: string | null },
): string {
  const { minimum, maximum } = passwordLength
  const [email, organization] = [escapeHtml(link.email), escapeHtml(link.organizationName)]
  const title = link.purpose === 'invitation' ? 'Choose a password' : 'Choose a new password'
  const state =
    fault === null ? 'aria-describedby="rules"' : 'aria-invalid="true" aria-describedby="fault rules"'
  const alert =
    fault === null ? '' : `<p class="error" id="fault" role="alert">The password ${escapeHtml(fault)}.</p>\n`
  return toPage({
    title,
    main: `<h1>${title}</h1>
<dl><dt>For</dt><dd>${email}</dd><dt>Of</dt><dd>${organization}</dd></dl>
<form method="post" action="link">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<input type="email" name="username" value="${email}" autocomplete="username" hidden readonly>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required autofocus ${state}>
${alert}<p id="rules">At least ${minimum} characters, at most ${maximum}, of any kind, blanks too: a few words in a row are good. Not your e-mail address, and none that you use elsewhere.</p>
<p class="actions"><button type="submit">Set the password</button></p>
</form>`,
  })
}

/** When it is done, and what to do next: where to log in is nowhere else to be seen. */
export function toDonePage({ email }: Pick<OpenLink, 'email'>, mcpUrl: string): string {
  return toPage({
    title: 'The password is set',
    main: `<h1>The password is set</h1>
<p>From now on <strong>${escapeHtml(email)}</strong> logs in with it. This link is used up.</p>
<p>There is no page to log in at: an application asks for it. Give yours this address, and it opens the page:</p>
<dl><dt>Address</dt><dd>${escapeHtml(mcpUrl)}</dd></dl>`,
  })
}

/** One page for every link that opens nothing: which of the reasons it is, a stranger is not told. */
export function toDeadLinkPage(): string {
  return toPage({
    title: 'This link does not work any more',
    main: `<h1>This link does not work any more</h1>
<p>It was used, it is past its time, a newer one has replaced it, or it is not complete. Ask an admin of your organization for a new one.</p>`,
  })
}

/** What went wrong before or beside the form. */
export function toFailurePage({
  title,
  detail,
}: {
  readonly title: string
  readonly detail: string
}): string {
  return toPage({
    title,
    main: `<h1>${escapeHtml(title)}</h1>\n<p role="alert">${escapeHtml(detail)}</p>`,
  })
}
