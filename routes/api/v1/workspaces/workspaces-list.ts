import { pageOf } from '../../../../lib/paging/schema.ts'
import { listWorkspaces } from '../../../../lib/workspaces/repository.ts'
import { workspace, workspacesQuery } from '../../../../lib/workspaces/schema.ts'
import type { Api } from '../api.ts'
import { toMember } from './to-member.ts'

export function workspacesList(app: Api): void {
  app.route({
    method: 'GET',
    url: '/workspaces',
    schema: {
      operationId: 'workspaces_list',
      summary: 'List your workspaces',
      description: [
        "Lists the workspaces that the caller belongs to, newest first, with the caller's role in each. Use",
        'it to find the id that X-Workspace-Id takes. Workspaces of the organization that the caller does not',
        'belong to are not listed. While meta.next_cursor is not null there are more.',
      ].join(' '),
      tags: ['workspaces'],
      querystring: workspacesQuery,
      response: { 200: pageOf(workspace) },
    },
    config: {
      scopes: ['workspaces:read'],
      permission: 'workspaces:read',
      tenancy: 'organization',
      mcp: true,
    },
    handler: request =>
      request.transact(trx => listWorkspaces(trx, toMember(request.principal), request.query)),
  })
}
