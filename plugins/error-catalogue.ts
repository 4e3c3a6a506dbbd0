import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { problems } from '../lib/problem/problem.ts'

/** `GET /errors`: what the `type` of every problem document points to, RFC 9457 section 3.1.1. */
export const errorCatalogue = fp(
  async (app: FastifyInstance) => {
    const page = toPage()
    app.get('/errors', async (_request, reply) => reply.type('text/html; charset=utf-8').send(page))
  },
  { name: 'error-catalogue' },
)

function toPage(): string {
  const rows = Object.entries(problems).map(
    ([code, { status, title, meaning }]) =>
      `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${title}</td><td>${meaning}</td></tr>`,
  )
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Errors</title>
<h1>Errors</h1>
<p>Every error is a problem document (RFC 9457). Its <code>code</code> is one of these.</p>
<table>
<tr><th>code</th><th>status</th><th>title</th><th>what it means and what to do</th></tr>
${rows.join('\n')}
</table>
</html>
`
}
