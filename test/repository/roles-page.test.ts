import { readFileSync } from 'node:fs'
import { test } from 'tap'
import { roles } from '../../lib/identity/roles.ts'
import { allScopes, scopes } from '../../lib/identity/scopes.ts'
import { projectFile } from '../project.ts'

test('docs/roles.md shows what each role allows, as the code has it', async t => {
  const page = readFileSync(projectFile('docs/roles.md'), 'utf8')
  const names = Object.keys(roles)
  const table = [
    `| permission, and scope | in words | ${names.join(' | ')} |`,
    `| --- | --- |${' --- |'.repeat(names.length)}`,
    ...allScopes.map(scope => {
      const allowed = Object.values(roles).map(role => (has(role, scope) ? 'yes' : ''))
      return `| \`${scope}\` | ${scopes[scope]} |${allowed.map(word => (word ? ` ${word} |` : ' |')).join('')}`
    }),
  ]
  t.same(
    page.split('\n').filter(line => line.startsWith('|')),
    table,
  )
})

function has(role: ReadonlySet<string>, permission: string): boolean {
  return role.has(permission)
}
