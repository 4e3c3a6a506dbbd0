import { getAttachment } from '../../../../lib/attachments/repository.ts'
import { attachment, attachmentPath } from '../../../../lib/attachments/schema.ts'
import { noQuery } from '../../../../lib/fields/no-query.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import type { Api } from '../api.ts'

export function attachmentsGet(app: Api): void {
  app.route({
    method: 'GET',
    url: '/attachments/:id',
    schema: {
      operationId: 'attachments_get',
      summary: 'Get an attachment',
      description: [
        'Gives what is known of one attached file: whose e-mail it belongs to, its name, type, size and digest,',
        'and of a PDF whether its text was searched. It does not give its content, which is not available to',
        'tools. What was found in it is in extractions_get of its e-mail.',
      ].join(' '),
      tags: ['attachments'],
      params: attachmentPath,
      querystring: noQuery,
      response: { 200: recordOf(attachment) },
    },
    config: { scopes: ['emails:read'], permission: 'emails:read', mcp: true },
    handler: async request => ({
      data: await request.transact(trx => getAttachment(trx, request.tenant, request.params.id)),
    }),
  })
}
