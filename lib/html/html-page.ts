import { createHash } from 'node:crypto'

/** One page for a person in a browser. Whatever comes from outside goes through `escapeHtml` first. */
export interface HtmlPage {
  /** Text, not markup. */
  readonly title: string
  /** Markup, below the heading. */
  readonly body: string
}

/** A page without scripts and without anything from elsewhere. */
export function toHtmlPage({ title, body }: HtmlPage): string {
  const heading = escapeHtml(title)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${heading}</h1>
${body}
</main>
</body>
</html>
`
}

/** Text as it may stand in markup, and in an attribute between quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => entities[character] ?? character)
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const style = `
:root{color-scheme:light dark;font:100%/1.5 system-ui,sans-serif}
body{margin:0}
main{box-sizing:border-box;max-width:28rem;margin:0 auto;padding:2rem 1rem}
h1{font-size:1.5rem;line-height:1.25}
label{display:block;font-weight:600}
input{box-sizing:border-box;width:100%;padding:.5rem;font:inherit}
button{margin-top:1rem;padding:.5rem 1rem;font:inherit;font-weight:600;cursor:pointer}
:focus-visible{outline:3px solid #1d6fdc;outline-offset:2px}
.fault{margin:.5rem 0;padding-left:.75rem;border-left:4px solid #c62828;font-weight:600}
.address{overflow-wrap:anywhere}
`

/**
 * The headers of such a page: nothing is loaded or run, nobody frames it, no cache keeps it, and its address, which may
 * hold a secret, is told to nobody (`Referrer-Policy`).
 */
export const htmlPageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
}
