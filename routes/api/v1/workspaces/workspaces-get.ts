import { noQuery } from '../../../../lib/fields/no-query.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { toEtag } from '../../../../lib/versions/etag.ts'
import { getWorkspace } from '../../../../lib/workspaces/repository.ts'
import { workspace, workspacePath } from '../../../../lib/workspaces/schema.ts'
import type { Api } from '../api.ts'
import { toMember } from './to-member.ts'

export function workspacesGet(app: Api): void {
  app.route({
    method: 'GET',
    url: '/workspaces/:id',
    schema: {
      operationId: 'workspaces_get',
      summary: 'Get a workspace',
      description: [
        "Gives one workspace that the caller belongs to: its name, version and the caller's role in it. It",
        'gives no contents; inboxes_list and emails_list do.',
      ].join(' '),
      tags: ['workspaces'],
      params: workspacePath,
      querystring: noQuery,
      response: { 200: recordOf(workspace) },
    },
    config: {
      scopes: ['workspaces:read'],
      permission: 'workspaces:read',
      tenancy: 'organization',
      mcp: true,
    },
    handler: async (request, reply) => {
      const data = await request.transact(trx =>
        getWorkspace(trx, toMember(request.principal), request.params.id),
      )
      reply.header('etag', toEtag(data.version))
      return { data }
    },
  })
}
