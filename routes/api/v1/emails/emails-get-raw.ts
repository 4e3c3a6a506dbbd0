import { getEmailSource } from '../../../../lib/emails/repository.ts'
import { emailPath } from '../../../../lib/emails/schema.ts'
import { noQuery } from '../../../../lib/fields/no-query.ts'
import type { Api } from '../api.ts'

export function emailsGetRaw(app: Api): void {
  app.route({
    method: 'GET',
    url: '/emails/:id/raw',
    schema: {
      operationId: 'emails_get_raw',
      summary: 'Download an e-mail as it arrived',
      description: [
        'Gives the message byte for byte as it arrived, as message/rfc822. For its text and headers in JSON,',
        'use emails_get.',
      ].join(' '),
      tags: ['emails'],
      params: emailPath,
      querystring: noQuery,
      produces: ['message/rfc822'],
    },
    config: { scopes: ['emails:read'], permission: 'emails:read' },
    handler: async (request, reply) => {
      const { id } = request.params
      const source = await request.transact(trx => getEmailSource(trx, request.tenant, id))
      // Whatever the sender put in it, a browser is to store it and not to guess at it.
      reply.type('message/rfc822').header('content-disposition', `attachment; filename="${id}.eml"`)
      reply.header('x-content-type-options', 'nosniff')
      return reply.send(source)
    },
  })
}
