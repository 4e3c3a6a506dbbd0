import { z } from 'zod'
import { line } from '../fields/line.ts'
import { timestamp } from '../fields/timestamp.ts'
import { idSchema } from '../id/id.ts'
import { pageQuery } from '../paging/schema.ts'

export const workspaceId = idSchema('wsp')

export const workspace = z.object({
  id: z.string().describe('What X-Workspace-Id takes.'),
  name: z.string(),
  role: z.enum(['admin', 'operator', 'viewer']).describe("The caller's role in it."),
  version: z.int().describe('Grows with each edit; in double quotes it is the ETag.'),
  created_at: timestamp,
  updated_at: timestamp,
})

export const newWorkspace = z.strictObject({
  name: line(100).describe('What people call it. Names need not be unique.'),
})

export const workspaceChanges = z.strictObject({ name: line(100).describe('The new name.') })

export const workspacesQuery = z.strictObject({ ...pageQuery })

export const workspacePath = z.strictObject({
  id: z.string().describe('The id of the workspace, wsp_ and 26 characters, as workspaces_list gives it.'),
})

export type Workspace = z.infer<typeof workspace>
export type WorkspacesQuery = z.infer<typeof workspacesQuery>
