import { noQuery } from '../../../../lib/fields/no-query.ts'
import { editHeaders } from '../../../../lib/fields/request-headers.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { toEtag } from '../../../../lib/versions/etag.ts'
import { updateWorkspace } from '../../../../lib/workspaces/repository.ts'
import { workspace, workspaceChanges, workspacePath } from '../../../../lib/workspaces/schema.ts'
import type { Api } from '../api.ts'
import { toMember } from './to-member.ts'

export function workspacesUpdate(app: Api): void {
  app.route({
    method: 'PATCH',
    url: '/workspaces/:id',
    schema: {
      operationId: 'workspaces_update',
      summary: 'Rename a workspace',
      description: [
        'Gives a workspace another name and answers with the workspace as it is then. The caller must be an',
        'admin of that very workspace. Its id, contents and people stay as they are.',
      ].join(' '),
      tags: ['workspaces'],
      params: workspacePath,
      querystring: noQuery,
      headers: editHeaders,
      body: workspaceChanges,
      response: { 200: recordOf(workspace) },
    },
    config: {
      scopes: ['workspaces:write'],
      permission: 'workspaces:write',
      tenancy: 'organization',
      mcp: { idempotent: true },
    },
    handler: async (request, reply) => {
      const { id } = request.params
      const ifMatch = request.headers['if-match']
      const data = await request.transact(trx =>
        updateWorkspace(trx, toMember(request.principal), { id, ifMatch, name: request.body.name }),
      )
      reply.header('etag', toEtag(data.version))
      return { data }
    },
  })
}
