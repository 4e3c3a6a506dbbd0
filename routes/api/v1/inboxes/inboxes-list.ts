import { listInboxes } from '../../../../lib/inboxes/repository.ts'
import { inbox, inboxesQuery } from '../../../../lib/inboxes/schema.ts'
import { pageOf } from '../../../../lib/paging/schema.ts'
import type { Api } from '../api.ts'

export function inboxesList(app: Api): void {
  app.route({
    method: 'GET',
    url: '/inboxes',
    schema: {
      operationId: 'inboxes_list',
      summary: 'List inboxes',
      description: [
        "Lists the inboxes of the workspace, newest first. Use it to find an inbox's id, for example for the",
        'inbox_id filter of emails_list, or with address to look one up. It does not count or list e-mails.',
        'Deleted inboxes are not listed. While meta.next_cursor is not null there are more.',
      ].join(' '),
      tags: ['inboxes'],
      querystring: inboxesQuery,
      response: { 200: pageOf(inbox) },
    },
    config: {
      scopes: ['inboxes:read'],
      permission: 'inboxes:read',
      mcp: { resource: { uri: 'kobana://inbox/inboxes', name: 'inboxes', title: 'The newest inboxes' } },
    },
    handler: request => request.transact(trx => listInboxes(trx, request.tenant, request.query)),
  })
}
