import { noQuery } from '../../../../lib/fields/no-query.ts'
import { editHeaders } from '../../../../lib/fields/request-headers.ts'
import { updateInbox } from '../../../../lib/inboxes/repository.ts'
import { inbox, inboxChanges, inboxPath } from '../../../../lib/inboxes/schema.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { toEtag } from '../../../../lib/versions/etag.ts'
import type { Api } from '../api.ts'

export function inboxesUpdate(app: Api): void {
  app.route({
    method: 'PATCH',
    url: '/inboxes/:id',
    schema: {
      operationId: 'inboxes_update',
      summary: 'Change an inbox',
      description: [
        'Changes the given members of an inbox, leaves the others, and answers with the inbox as it is then.',
        'Use status paused to refuse mail for a while. It does not touch e-mails that are there, nor who may',
        'send to the inbox.',
      ].join(' '),
      tags: ['inboxes'],
      params: inboxPath,
      querystring: noQuery,
      headers: editHeaders,
      body: inboxChanges,
      response: { 200: recordOf(inbox) },
    },
    config: { scopes: ['inboxes:write'], permission: 'inboxes:write', mcp: { idempotent: true } },
    handler: async (request, reply) => {
      const target = { id: request.params.id, ifMatch: request.headers['if-match'] }
      const data = await request.transact(trx =>
        updateInbox(trx, request.tenant, { ...target, changes: request.body }),
      )
      reply.header('etag', toEtag(data.version))
      return { data }
    },
  })
}
