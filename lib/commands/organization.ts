import type { z } from 'zod'
import type { Database } from '../database/database.ts'
import { personalAddress } from '../fields/email-address.ts'
import { line } from '../fields/line.ts'
import { createOrganization, type Holder } from '../organizations/create-organization.ts'
import { type ListedOrganization, listOrganizations } from '../organizations/list-organizations.ts'
import { type CreatedLink, linkHours } from '../people/create-link.ts'
import { createLinkFor } from '../people/create-link-for.ts'
import { findAccountByEmail } from '../people/find-account.ts'
import { toLinkUrl } from '../people/to-link-url.ts'
import { CommandFailure } from './command-failure.ts'

/** What the organization command is to do, with the values of its options as they were typed. */
export interface OrganizationCommand {
  readonly action: string | undefined
  readonly options: OrganizationOptions
}

export interface OrganizationOptions {
  readonly name?: string | undefined
  readonly admin?: string | undefined
  readonly 'admin-name'?: string | undefined
  readonly workspace?: string | undefined
  readonly person?: string | undefined
}

type OptionName = keyof OrganizationOptions

export interface OrganizationServices {
  readonly database: Database
  /** What links begin with. */
  readonly publicUrl: string
  /** Where people log in instead of here, so that they have no passwords and no links; null: here. */
  readonly outsideServer: string | null
}

/** An action whose options have been read: what is left is to do it, for which it gives the text to print. */
export type OrganizationAction = (services: OrganizationServices) => Promise<string>

/**
 * Reads the command before anything is opened. Throws a CommandFailure that names the option that is missing, wrong, or
 * not one of this action.
 */
export function parseOrganizationCommand({ action, options }: OrganizationCommand): OrganizationAction {
  if (action === 'create') return parseCreate(options)
  if (action === 'list') return parseList(options)
  if (action === 'link') return parseLink(options)
  const fault = action === undefined ? 'lacks its action' : `has no action ${JSON.stringify(action)}`
  throw new CommandFailure(`The organization command ${fault}: create, list or link`)
}

function parseCreate(options: OrganizationOptions): OrganizationAction {
  refuseOthers(options, ['name', 'admin', 'admin-name', 'workspace'])
  const name = read(options, 'name', { schema: line(100), example: 'such as "Acme"' })
  const email = read(options, 'admin', { schema: personalAddress, example: 'such as ana@acme.example' })
  const personName = readOr(options, 'admin-name', email.slice(0, email.lastIndexOf('@')))
  const workspaceName = readOr(options, 'workspace', 'Main')
  return async ({ database, publicUrl, outsideServer }) => {
    const created = await createOrganization(database, { name, email, personName, workspaceName })
    if (created.kind === 'taken') throw toTaken(email, created.holder)
    const { organizationId, link } = created
    return [
      `${name} (${organizationId}) has the workspace ${workspaceName}, whose admin is ${personName}, ${email}.`,
      outsideServer === null ? toLinkText(link, publicUrl) : `People log in at ${outsideServer}.`,
    ].join('\n')
  }
}

function parseList(options: OrganizationOptions): OrganizationAction {
  refuseOthers(options, [])
  return async ({ database }) => {
    const all = await listOrganizations(database)
    return all.length === 0 ? 'There are no organizations yet.' : all.map(toLine).join('\n')
  }
}

function parseLink(options: OrganizationOptions): OrganizationAction {
  refuseOthers(options, ['person'])
  const email = read(options, 'person', { schema: personalAddress, example: 'such as ana@acme.example' })
  return async ({ database, publicUrl, outsideServer }) => {
    if (outsideServer !== null) {
      throw new CommandFailure(`People log in at ${outsideServer}: there are no links. Nothing was done.`)
    }
    const account = await findAccountByEmail(database, email)
    if (!account) throw new CommandFailure(`--person ${email} is nobody here. Nothing was done.`)
    if (account.disabled) {
      throw new CommandFailure(
        `--person ${email} is disabled: enable the account over REST first. Nothing was done.`,
      )
    }
    return toLinkText(await createLinkFor(database, account), publicUrl)
  }
}

function refuseOthers(options: OrganizationOptions, known: readonly OptionName[]): void {
  const others = Object.keys(options).filter(name => !known.some(one => one === name))
  if (others.length === 0) return
  throw new CommandFailure(`--${others[0]} is no option of this action`)
}

function read(
  options: OrganizationOptions,
  name: OptionName,
  { schema, example }: { schema: z.ZodType<string>; example: string },
): string {
  const value = options[name]
  if (value === undefined) throw new CommandFailure(`--${name} is missing, ${example}`)
  const { data, error } = schema.safeParse(value)
  if (data !== undefined) return data
  throw new CommandFailure(`--${name} cannot be ${JSON.stringify(value)}: ${error?.issues[0]?.message}`)
}

function readOr(options: OrganizationOptions, name: OptionName, fallback: string): string {
  return options[name] === undefined ? fallback : read(options, name, { schema: line(100), example: '' })
}

function toTaken(email: string, { name, organizationName, organizationId }: Holder): CommandFailure {
  return new CommandFailure(
    [
      `--admin ${email} belongs to ${name}, of the organization ${organizationName} (${organizationId}). Nothing was created.`,
      `For a new link to set a password: npm run organization -- link --person ${email}`,
    ].join('\n'),
  )
}

function toLinkText({ token, purpose, expiresAt }: CreatedLink, publicUrl: string): string {
  return `
Open this link to set a password. It works once, within ${linkHours[purpose]} hours (until ${expiresAt}), and is not shown again:

${toLinkUrl(publicUrl, token)}
`
}

function toLine({ id, name, created_at, people, workspaces }: ListedOrganization): string {
  return `${id}  ${name}  (${toCount(people, 'person', 'people')}, ${toCount(workspaces, 'workspace', 'workspaces')}, since ${created_at.slice(0, 10)})`
}

function toCount(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}
