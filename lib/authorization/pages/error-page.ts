import { escapeHtml, toPage } from './page.ts'

export interface PageError {
  /** The error's code in the protocol, for whoever is asked for help. */
  readonly code: string
  /** A sentence for a person. */
  readonly detail: string
}

/** What went wrong, and what to do. It says nothing of how this server is made. */
export function toErrorPage({ code, detail }: PageError): string {
  return toPage({
    title: 'This did not work',
    main: `<h1>This did not work</h1>
<p class="error" role="alert">${escapeHtml(toSentence(detail || 'The request cannot be answered.'))}</p>
<p>Go back to the application that sent you here, and start again from there.</p>
<p class="note">Code: ${escapeHtml(code)}</p>`,
  })
}

function toSentence(text: string): string {
  const sentence = `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}
