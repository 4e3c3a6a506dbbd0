import { test } from 'tap'
import { type OrganizationCommand, parseOrganizationCommand } from '../../../lib/commands/organization.ts'
import { findOpenLink } from '../../../lib/people/open-link.ts'
import { openTestDatabase } from '../../app/support/open-test-database.ts'
import { seedTwoOrganizations } from '../../app/support/seed-two-organizations.ts'

const complete = { name: 'Initech', admin: 'ida@initech.example' }

test('what is missing, wrong or out of place is refused by the name of its option', t => {
  const refusals: [OrganizationCommand, RegExp][] = [
    [{ action: undefined, options: {} }, /lacks its action: create, list or link/],
    [{ action: 'delete', options: {} }, /no action "delete": create, list or link/],
    [{ action: 'create', options: { admin: complete.admin } }, /^--name is missing, such as "Acme"/],
    [{ action: 'create', options: { name: 'Initech' } }, /^--admin is missing, such as ana@acme\.example/],
    [{ action: 'create', options: { ...complete, name: ' ' } }, /^--name cannot be " ": /],
    [{ action: 'create', options: { ...complete, name: 'a\nb' } }, /^--name cannot be .*line breaks/],
    [
      { action: 'create', options: { ...complete, admin: 'ida' } },
      /^--admin cannot be "ida": must be an e-mail/,
    ],
    [{ action: 'create', options: { ...complete, 'admin-name': '' } }, /^--admin-name cannot be ""/],
    [{ action: 'create', options: { ...complete, workspace: 'x'.repeat(101) } }, /^--workspace cannot be/],
    [{ action: 'create', options: { ...complete, person: 'ida@initech.example' } }, /^--person is no option/],
    [{ action: 'list', options: { name: 'Initech' } }, /^--name is no option/],
    [{ action: 'link', options: {} }, /^--person is missing/],
    [{ action: 'link', options: { admin: complete.admin } }, /^--admin is no option/],
  ]
  for (const [command, message] of refusals) {
    t.throws(() => parseOrganizationCommand(command), { name: 'CommandFailure', message })
  }
  t.end()
})

test('the organization command', async t => {
  const database = await openTestDatabase(t)
  const services = { database, publicUrl: 'https://inbox.example/mail', outsideServer: null }
  const run = (command: OrganizationCommand) => parseOrganizationCommand(command)(services)
  const create = (options: OrganizationCommand['options']) => run({ action: 'create', options })
  t.equal(await run({ action: 'list', options: {} }), 'There are no organizations yet.')
  const { ana, acme } = await seedTwoOrganizations(database)
  const count = () =>
    database.asOwner(async trx => {
      const tables = ['organizations', 'users', 'workspaces', 'memberships', 'account_links'] as const
      const counts = []
      for (const table of tables) counts.push((await trx.selectFrom(table).selectAll().execute()).length)
      return counts
    })

  await t.test('says who has an address already, and creates nothing', async t => {
    const before = await count()
    for (const admin of ['ana@acme.test', ' ANA@Acme.test ']) {
      await t.rejects(create({ ...complete, admin }), {
        name: 'CommandFailure',
        message: new RegExp(
          `^--admin ana@acme\\.test belongs to Ana, of the organization Acme \\(${acme.id}\\)\\. Nothing was created\\.`,
        ),
      })
    }
    t.same(await count(), before)
  })

  await t.test('makes organization, workspace and admin, and prints a link that opens', async t => {
    const text = await create({ ...complete, admin: 'Ida@München.example', 'admin-name': 'Ida Lopes' })
    t.match(
      text,
      /^Initech \(org_\w{26}\) has the workspace Main, whose admin is Ida Lopes, ida@xn--mnchen-3ya\.example\.\n/,
    )
    t.match(text, /works once, within 72 hours \(until 20\d\d-/)
    const [, token = ''] =
      /\nhttps:\/\/inbox\.example\/mail\/people\/link\?token=([\w-]{43})\n/.exec(text) ?? []
    t.match(await findOpenLink(database, token), {
      email: 'ida@xn--mnchen-3ya.example',
      organizationName: 'Initech',
      purpose: 'invitation',
    })
    const [made] = await database.asOwner(trx =>
      trx
        .selectFrom('memberships')
        .innerJoin('users', 'users.id', 'memberships.user_id')
        .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
        .select(['users.name as person', 'workspaces.name as workspace', 'role', 'users.organization_id'])
        .where('users.email', '=', 'ida@xn--mnchen-3ya.example')
        .execute(),
    )
    t.match(made, { person: 'Ida Lopes', workspace: 'Main', role: 'admin' })
    const events = await database.asOwner(trx =>
      trx.selectFrom('audit_events').select(['action', 'via', 'organization_id']).execute(),
    )
    t.same(events, [{ action: 'organization.create', via: 'system', organization_id: made?.organization_id }])
  })

  await t.test('lists organizations, the oldest first', async t => {
    const lines = (await run({ action: 'list', options: {} })).split('\n')
    t.equal(lines.length, 3)
    t.match(lines.at(-1), /^org_\w{26} {2}Initech {2}\(1 person, 1 workspace, since 20/)
  })

  await t.test('prints a new link, with which the one before ends, for people who are there', async t => {
    const link = (person: string) => run({ action: 'link', options: { person } })
    await t.rejects(link('nobody@acme.test'), { message: /^--person nobody@acme\.test is nobody here/ })
    const tokenOf = (text: string) => /token=([\w-]+)/.exec(text)?.[1] ?? ''
    const first = tokenOf(await link('ana@acme.test'))
    const second = tokenOf(await link('ana@acme.test'))
    t.equal(await findOpenLink(database, first), null)
    t.match(await findOpenLink(database, second), { userId: ana })
    await database.asOwner(trx =>
      trx
        .updateTable('users')
        .set({ disabled_at: '2026-01-01T00:00:00.000Z' })
        .where('id', '=', ana)
        .execute(),
    )
    t.equal(await findOpenLink(database, second), null, 'a disabled person has no use of it')
    await t.rejects(link('ana@acme.test'), { message: /^--person ana@acme\.test is disabled/ })
  })

  await t.test('run twice at once makes one organization', async t => {
    const admin = 'twin@initech.example'
    const both = await Promise.allSettled([create({ ...complete, admin }), create({ ...complete, admin })])
    t.same(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    const listed = await run({ action: 'list', options: {} })
    t.equal(listed.match(/Initech/g)?.length, 2)
  })

  await t.test('prints no link where people log in at another server', async t => {
    const outside = { ...services, outsideServer: 'https://id.example' }
    const options = { ...complete, admin: 'outside@initech.example' }
    const text = await parseOrganizationCommand({ action: 'create', options })(outside)
    t.match(text, 'People log in at https://id.example.')
    t.notMatch(text, '/people/link')
    const link = parseOrganizationCommand({ action: 'link', options: { person: options.admin } })
    await t.rejects(link(outside), { name: 'CommandFailure', message: /there are no links/ })
  })
})
