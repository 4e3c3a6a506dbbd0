import { escapeHtml, toHtmlPage } from '../html/html-page.ts'
import { passwordLength } from '../passwords/password-schema.ts'
import type { OpenLink } from './open-link.ts'

/** The form that a link opens. `fault` says what is wrong with the password that was sent; null at first. */
export function toPasswordPage(
  link: OpenLink,
  { token, fault }: { token: string; fault: string | null },
): string {
  const { minimum, maximum } = passwordLength
  const hasFault = fault !== null
  const describedBy = hasFault ? 'rules fault' : 'rules'
  return toHtmlPage({
    title: link.purpose === 'invitation' ? 'Choose a password' : 'Choose a new password',
    body: `<p>For <strong class="address">${escapeHtml(link.email)}</strong>, of ${escapeHtml(link.organizationName)}.</p>
<form method="post" action="link">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<input type="email" name="username" value="${escapeHtml(link.email)}" autocomplete="username" hidden readonly>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required autofocus${hasFault ? ' aria-invalid="true"' : ''} aria-describedby="${describedBy}">
${hasFault ? `<p class="fault" id="fault" role="alert">The password ${escapeHtml(fault)}.</p>\n` : ''}<p id="rules">At least ${minimum} characters, at most ${maximum}. Any characters, blanks too; a few words in a row are good. Not your e-mail address, and none that you use elsewhere.</p>
<button type="submit">Set the password</button>
</form>`,
  })
}

/** When it is done. */
export function toDonePage({ email }: Pick<OpenLink, 'email'>): string {
  return toHtmlPage({
    title: 'The password is set',
    body: `<p>From now on <strong class="address">${escapeHtml(email)}</strong> logs in with it. This link is used up; you can close this page.</p>`,
  })
}

/** One page for every link that opens nothing: which of the reasons it is, a stranger is not told. */
export function toDeadLinkPage(): string {
  return toHtmlPage({
    title: 'This link does not work any more',
    body: '<p>It was used, it is past its time, a newer one has replaced it, or it is not complete. Ask an admin of your organization for a new one.</p>',
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
  return toHtmlPage({ title, body: `<p role="alert">${escapeHtml(detail)}</p>` })
}
