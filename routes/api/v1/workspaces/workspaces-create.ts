import { noQuery } from '../../../../lib/fields/no-query.ts'
import { createHeaders } from '../../../../lib/fields/request-headers.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { toEtag } from '../../../../lib/versions/etag.ts'
import { createWorkspace } from '../../../../lib/workspaces/repository.ts'
import { newWorkspace, workspace } from '../../../../lib/workspaces/schema.ts'
import type { Api } from '../api.ts'
import { toMember } from './to-member.ts'

export function workspacesCreate(app: Api): void {
  app.route({
    method: 'POST',
    url: '/workspaces',
    schema: {
      operationId: 'workspaces_create',
      summary: 'Create a workspace',
      description: [
        "Creates a workspace in the caller's organization, with the caller as its admin and nobody else in",
        'it. Use it for a separate set of inboxes and people; an inbox for another purpose needs none.',
        'Whoever is admin of some workspace of the organization may do this. A workspace cannot be deleted',
        'here.',
      ].join(' '),
      tags: ['workspaces'],
      querystring: noQuery,
      headers: createHeaders,
      body: newWorkspace,
      response: { 201: recordOf(workspace) },
    },
    config: {
      scopes: ['workspaces:write'],
      permission: 'workspaces:write',
      tenancy: 'organization',
      mcp: true,
    },
    handler: async (request, reply) => {
      const data = await request.transact(trx =>
        createWorkspace(trx, toMember(request.principal), request.body),
      )
      request.afterCommit(() => app.forgetPrincipal(request.principal.id))
      reply.code(201).header('location', `${app.prefix}/workspaces/${data.id}`)
      reply.header('etag', toEtag(data.version))
      return { data }
    },
  })
}
