import { noQuery } from '../../../../lib/fields/no-query.ts'
import { getInbox } from '../../../../lib/inboxes/repository.ts'
import { inbox, inboxPath } from '../../../../lib/inboxes/schema.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { toEtag } from '../../../../lib/versions/etag.ts'
import type { Api } from '../api.ts'

export function inboxesGet(app: Api): void {
  app.route({
    method: 'GET',
    url: '/inboxes/:id',
    schema: {
      operationId: 'inboxes_get',
      summary: 'Get an inbox',
      description: [
        'Gives one inbox: its address, name, description, whether it takes mail, whose mail it accepts, and',
        'its version. It does not give its e-mails; emails_list with inbox_id does.',
      ].join(' '),
      tags: ['inboxes'],
      params: inboxPath,
      querystring: noQuery,
      response: { 200: recordOf(inbox) },
    },
    config: {
      scopes: ['inboxes:read'],
      permission: 'inboxes:read',
      mcp: {
        resource: {
          uri: 'kobana://inbox/inboxes/{id}',
          name: 'inbox',
          title: 'An inbox',
          complete: { id: { tool: 'inboxes_list', arguments: { limit: 100 }, labels: ['address', 'name'] } },
        },
      },
    },
    handler: async (request, reply) => {
      const data = await request.transact(trx => getInbox(trx, request.tenant, request.params.id))
      reply.header('etag', toEtag(data.version))
      return { data }
    },
  })
}
