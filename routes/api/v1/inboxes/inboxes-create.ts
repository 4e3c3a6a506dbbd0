import { noQuery } from '../../../../lib/fields/no-query.ts'
import { createHeaders } from '../../../../lib/fields/request-headers.ts'
import { createInbox } from '../../../../lib/inboxes/repository.ts'
import { inbox, newInbox } from '../../../../lib/inboxes/schema.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { toEtag } from '../../../../lib/versions/etag.ts'
import type { Api } from '../api.ts'

export function inboxesCreate(app: Api): void {
  app.route({
    method: 'POST',
    url: '/inboxes',
    schema: {
      operationId: 'inboxes_create',
      summary: 'Create an inbox',
      description: [
        'Creates an inbox with an address of your choice and answers with it. It fails with conflict when any',
        'inbox has the address; to create it or else change the one that exists, use inboxes_upsert. At first',
        'anyone may send to it.',
      ].join(' '),
      tags: ['inboxes'],
      querystring: noQuery,
      headers: createHeaders,
      body: newInbox,
      response: { 201: recordOf(inbox) },
    },
    config: { scopes: ['inboxes:write'], permission: 'inboxes:write', mcp: true },
    handler: async (request, reply) => {
      const data = await request.transact(trx => createInbox(trx, request.tenant, request.body))
      reply.code(201).header('location', `${app.prefix}/inboxes/${data.id}`)
      reply.header('etag', toEtag(data.version))
      return { data }
    },
  })
}
