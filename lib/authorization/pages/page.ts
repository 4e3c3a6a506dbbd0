import { createHash } from 'node:crypto'

/** What a page of the authorization server is made of; `main` is HTML, everything in it escaped. */
export interface Page {
  readonly title: string
  readonly main: string
}

/** A whole document: no script, one style, readable at 320 pixels and at any size of text. */
export function toPage({ title, main }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} · Kobana Autonomous Inbox</title>
<style>${style}</style>
</head>
<body>
<header><p>Kobana Autonomous Inbox</p></header>
<main>
${main}
</main>
</body>
</html>
`
}

/**
 * The headers of every page. Nothing is loaded, nothing runs, nobody puts it into a frame, and no form of it goes
 * anywhere but here and to where the answer is to go.
 *
 * @param formActions more sources for form-action; browsers hold it against the redirects after a form, too
 */
export function toPageHeaders(formActions: readonly string[] = []): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `style-src '${styleHash}'`,
    `form-action ${["'self'", ...formActions].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    // Not `no-referrer`: browsers then call the origin of their own forms `null`.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    // And no Cross-Origin-Opener-Policy: a client that opened this in a window of its own waits for word from there.
    'x-frame-options': 'DENY',
  }
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
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --paper: #fff; --back: #f3f4f6; --line: #8c959f;
  --main: #0b57d0; --on-main: #fff; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --soft: #b0b8c1; --paper: #1d2126; --back: #121518;
  --line: #7d8590; --main: #a8c7fa; --on-main: #062e6f; --bad: #f2b8b5; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 1rem; background: var(--back); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
header, main { max-width: 28rem; margin: 0 auto; }
header p { margin: 1rem 0; font-weight: 600; color: var(--soft); }
main { background: var(--paper); border-radius: .75rem; padding: 1.5rem; box-shadow: 0 1px 3px #0003; }
h1 { margin: 0 0 1rem; font-size: 1.4rem; line-height: 1.25; overflow-wrap: anywhere; }
p { margin: 0 0 1rem; }
dl { margin: 0 0 1rem; } dt { color: var(--soft); font-size: .9rem; }
dd { margin: 0 0 .5rem; overflow-wrap: anywhere; font-weight: 600; }
label { display: block; font-weight: 600; }
input[type=email], input[type=password] { display: block; width: 100%; margin: .25rem 0 1rem; padding: .6rem .7rem;
  font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: .5rem; }
fieldset { margin: 0 0 1rem; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .5rem; min-width: 0; }
legend { padding: 0 .35rem; font-weight: 600; }
fieldset label { display: flex; gap: .6rem; align-items: flex-start; padding: .3rem 0; font-weight: 400;
  overflow-wrap: anywhere; }
fieldset input { flex: none; width: 1.15rem; height: 1.15rem; margin: .18rem 0 0; accent-color: var(--main); }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; }
button { flex: 1 1 8rem; padding: .65rem 1rem; font: inherit; font-weight: 600; border-radius: .5rem; cursor: pointer;
  border: 1px solid var(--main); background: var(--main); color: var(--on-main); }
button.second { background: transparent; color: var(--main); }
a { color: var(--main); }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; }
.error { border-left: 4px solid var(--bad); padding: .5rem .75rem; margin: 0 0 1rem; color: var(--bad); font-weight: 600; }
.note { color: var(--soft); font-size: .9rem; margin: 1rem 0 0; }
`

const styleHash = `sha256-${createHash('sha256').update(style).digest('base64')}`
