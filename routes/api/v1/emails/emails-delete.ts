import { deleteEmail } from '../../../../lib/emails/repository.ts'
import { emailPath } from '../../../../lib/emails/schema.ts'
import { noQuery } from '../../../../lib/fields/no-query.ts'
import { editHeaders } from '../../../../lib/fields/request-headers.ts'
import { nothing } from '../../../../lib/paging/schema.ts'
import type { Api } from '../api.ts'

export function emailsDelete(app: Api): void {
  app.route({
    method: 'DELETE',
    url: '/emails/:id',
    schema: {
      operationId: 'emails_delete',
      summary: 'Delete an e-mail',
      description: [
        'Deletes an e-mail with its text and attachments, at once and for good. To put it out of sight only,',
        'label it or mark it as read with emails_update. It answers with nothing.',
      ].join(' '),
      tags: ['emails'],
      params: emailPath,
      querystring: noQuery,
      headers: editHeaders,
      response: { 204: nothing },
    },
    config: {
      scopes: ['emails:write'],
      permission: 'emails:write',
      mcp: {
        destructive: true,
        preview: 'emails_get',
        question:
          'Delete the e-mail {data.subject} from {data.from.address:whole}, received {data.received_at:date}? This cannot be undone.',
      },
    },
    handler: async (request, reply) => {
      const target = { id: request.params.id, ifMatch: request.headers['if-match'] }
      await request.transact(trx => deleteEmail(trx, request.tenant, target))
      reply.code(204)
      return null
    },
  })
}
