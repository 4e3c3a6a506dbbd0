import type { Role } from '../database/tables.ts'
import { toDemoId } from './demo-id.ts'
import { demoOrganizations } from './demo-organizations.ts'

/** The day on which the demo begins, before its first message. */
export const createdAt = '2026-08-01T12:00:00.000Z'
const created_at = createdAt

/** The demo's organizations as rows of the database, with ids that never change. */
export const demoRows = toRows()

/** The id of one of the demo's workspaces. */
export function toWorkspaceId(name: string): string {
  return toTenant(name).workspace_id
}

/** The columns by which a row belongs to one of the demo's workspaces. */
export function toTenant(name: string): { organization_id: string; workspace_id: string } {
  const workspace = demoRows.workspaces.find(row => row.name === name)
  if (!workspace) throw new Error(`The demo has no workspace ${name}`)
  return { organization_id: workspace.organization_id, workspace_id: workspace.id }
}

function toRows() {
  const organizations = demoOrganizations.map(({ name }, position) => ({
    id: toDemoId('org', { position, name }),
    name,
    created_at,
  }))
  const users = demoOrganizations
    .flatMap(({ name, people }) => Object.entries(people).map(([email, person]) => ({ name, email, person })))
    .map(({ name, email, person }, position) => ({
      id: toDemoId('usr', { position, name: email }),
      organization_id: idOf(organizations, name),
      email,
      name: person,
      created_at,
    }))
  const places = demoOrganizations
    .flatMap(({ name, workspaces }) => workspaces.map(workspace => ({ ...workspace, organization: name })))
    .map((workspace, position) => ({
      ...workspace,
      id: toDemoId('wsp', { position, name: workspace.name }),
      organization_id: idOf(organizations, workspace.organization),
    }))
  const workspaces = places.map(({ id, organization_id, name }) => ({
    id,
    organization_id,
    name,
    created_at,
    updated_at: created_at,
  }))
  const memberships = places.flatMap(({ id, organization_id, members }) =>
    users
      .map(user => ({ user_id: user.id, workspace_id: id, organization_id, role: members[user.email] }))
      .filter((row): row is typeof row & { role: Role } => row.role !== undefined),
  )
  const inboxes = places
    .flatMap(place => place.inboxes.map(inbox => ({ ...inbox, place })))
    .map(({ address, name, description, policy, allowed, place }, position) => ({
      allowed,
      row: {
        id: toDemoId('inb', { position, name: address }),
        organization_id: place.organization_id,
        workspace_id: place.id,
        address,
        name,
        description,
        sender_policy: policy,
        created_at,
        updated_at: created_at,
      },
    }))
  const allowedSenders = inboxes.flatMap(({ allowed, row }) =>
    allowed.map(pattern => ({ workspace_id: row.workspace_id, inbox_id: row.id, pattern, created_at })),
  )
  return {
    organizations,
    users,
    workspaces,
    memberships,
    inboxes: inboxes.map(({ row }) => row),
    allowedSenders,
  }
}

function idOf(rows: readonly { id: string; name: string }[], name: string): string {
  return rows.find(row => row.name === name)?.id ?? ''
}
