import { noQuery } from '../../../../lib/fields/no-query.ts'
import { editHeaders } from '../../../../lib/fields/request-headers.ts'
import { inbox, upsertedInbox } from '../../../../lib/inboxes/schema.ts'
import { upsertInbox } from '../../../../lib/inboxes/upsert-inbox.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { toEtag } from '../../../../lib/versions/etag.ts'
import type { Api } from '../api.ts'

export function inboxesUpsert(app: Api): void {
  app.route({
    method: 'PUT',
    url: '/inboxes',
    schema: {
      operationId: 'inboxes_upsert',
      summary: 'Create or change an inbox by address',
      description: [
        'Makes sure that the workspace has an inbox with this address and these members: creates it (201), or',
        'changes the one that exists (200), whose other members stay. Use it when you know the address and',
        'not the id, or when you cannot tell whether it exists. It fails with conflict when another workspace',
        'uses the address. A deleted inbox is not brought back: a new and empty one is created. It does not',
        'touch who may send to the inbox.',
      ].join(' '),
      tags: ['inboxes'],
      querystring: noQuery,
      headers: editHeaders,
      body: upsertedInbox,
      response: { 200: recordOf(inbox), 201: recordOf(inbox) },
    },
    config: { scopes: ['inboxes:write'], permission: 'inboxes:write', mcp: true },
    handler: async (request, reply) => {
      const ifMatch = request.headers['if-match']
      const { inbox: data, created } = await request.transact(trx =>
        upsertInbox(trx, request.tenant, { inbox: request.body, ifMatch }),
      )
      if (created) reply.code(201).header('location', `${app.prefix}/inboxes/${data.id}`)
      reply.header('etag', toEtag(data.version))
      return { data }
    },
  })
}
