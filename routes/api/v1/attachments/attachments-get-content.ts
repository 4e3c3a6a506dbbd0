import { getAttachmentContent } from '../../../../lib/attachments/repository.ts'
import { attachmentPath } from '../../../../lib/attachments/schema.ts'
import { toDownloadHeaders } from '../../../../lib/attachments/to-download-headers.ts'
import { noQuery } from '../../../../lib/fields/no-query.ts'
import type { Api } from '../api.ts'

export function attachmentsGetContent(app: Api): void {
  app.route({
    method: 'GET',
    url: '/attachments/:id/content',
    schema: {
      operationId: 'attachments_get_content',
      summary: 'Download an attachment',
      description: [
        'Gives the file byte for byte as it was sent, to be stored and not shown. What could run in a browser,',
        'and whatever is not known to be harmless, comes as application/octet-stream; attachments_get tells',
        'what the sender calls it.',
      ].join(' '),
      tags: ['attachments'],
      params: attachmentPath,
      querystring: noQuery,
      produces: ['application/octet-stream'],
    },
    config: { scopes: ['emails:read'], permission: 'emails:read' },
    handler: async (request, reply) => {
      const { id } = request.params
      const file = await request.transact(trx => getAttachmentContent(trx, request.tenant, id))
      reply.headers(toDownloadHeaders({ id, filename: file.filename, contentType: file.content_type }))
      return reply.send(file.content)
    },
  })
}
