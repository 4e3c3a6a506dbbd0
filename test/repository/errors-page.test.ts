import { readFileSync } from 'node:fs'
import { test } from 'tap'
import { problems } from '../../lib/problem/problems.ts'
import { bootErrors, problemTitles, rpcCodes } from '../../plugins/mcp/errors.ts'
import { projectFile } from '../project.ts'

const page = readFileSync(projectFile('docs/errors.md'), 'utf8')

test('docs/errors.md lists every error of the code, with its status and its words', async t => {
  for (const [code, { status, meaning }] of Object.entries(problems))
    t.ok(page.includes(`| \`${code}\` | ${status} | ${meaning} |`), code)
  for (const [code, meaning] of Object.entries(bootErrors))
    t.ok(page.includes(`| \`${code}\` | ${meaning} |`), code)
  for (const [name, code] of Object.entries(rpcCodes)) t.ok(page.includes(`| ${code} | \`${name}\` | `), name)
  for (const [code, { status }] of Object.entries(problemTitles))
    t.ok(page.includes(`| \`${code}\` | ${status} | `), code)
})

test('docs/errors.md lists no error that the code does not have', async t => {
  const known = new Set<string>([
    ...Object.keys(problems),
    ...Object.keys(problemTitles),
    ...Object.keys(bootErrors),
  ])
  const listed = [...page.matchAll(/^\| `([A-Za-z_]+)` \|/gm)].map(match => match[1] ?? '')
  t.ok(listed.length > 30)
  t.same(
    listed.filter(code => !known.has(code)),
    [],
  )
})

test('a problem that both sides know has the same status on both', async t => {
  for (const [code, { status }] of Object.entries(problemTitles)) {
    const rest = Object.entries(problems).find(([name]) => name === code)?.[1]
    if (rest) t.equal(status, rest.status, code)
  }
})
