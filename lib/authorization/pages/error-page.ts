import { escapeHtml, toPage } from './page.ts'

export interface PageError {
  /** The error's code in the protocol, for whoever is asked for help. */
  readonly code: string
  /** A sentence for a person. */
  readonly detail: string
}

/** What the protocol's own sentences do not tell a person: what is the matter, and what to do about it. */
const knownErrors: Readonly<Record<string, { readonly detail: string; readonly advice: string }>> = {
  invalid_client: {
    detail: 'The application that sent you here is not, or no longer, registered with this server.',
    advice:
      'In the application, remove the connection to this server and add it again: it registers anew then. Where that does not help, have it forget what it stored for this server.',
  },
  invalid_redirect_uri: {
    detail: 'The application wants the answer sent to an address that it did not register.',
    advice:
      'In the application, remove the connection to this server and add it again. If it did not start there, somebody may have sent you a link that you should not use.',
  },
}

const defaultAdvice = 'Go back to the application that sent you here, and start again from there.'

/** What went wrong, and what to do. It says nothing of how this server is made. */
export function toErrorPage(error: PageError): string {
  const { code } = error
  const { detail, advice } = knownErrors[code] ?? { detail: error.detail, advice: defaultAdvice }
  return toPage({
    title: 'This did not work',
    main: `<h1>This did not work</h1>
<p class="error" role="alert">${escapeHtml(toSentence(detail || 'The request cannot be answered.'))}</p>
<p>${escapeHtml(advice)}</p>
<p class="note">Code: ${escapeHtml(code)}</p>`,
  })
}

function toSentence(text: string): string {
  const sentence = `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}
