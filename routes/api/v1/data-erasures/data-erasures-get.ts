import { noQuery } from '../../../../lib/fields/no-query.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { getErasure } from '../../../../lib/personal-data/erasures.ts'
import { erasure, erasurePath } from '../../../../lib/personal-data/schema.ts'
import type { Api } from '../api.ts'

export function dataErasuresGet(app: Api): void {
  app.route({
    method: 'GET',
    url: '/data-erasures/:id',
    schema: {
      operationId: 'data_erasures_get',
      summary: 'Get an erasure',
      description: [
        'Tells how many e-mails an erasure has deleted and whether it has ended, for 90 days from then on. Its',
        'operation tells whether it succeeded. It does not tell whose data it was: that is forgotten with it.',
      ].join(' '),
      tags: ['personal data'],
      params: erasurePath,
      querystring: noQuery,
      response: { 200: recordOf(erasure) },
    },
    config: { scopes: ['emails:read'], permission: 'inboxes:write' },
    handler: async request => ({
      data: await request.transact(trx => getErasure(trx, request.tenant, request.params.id)),
    }),
  })
}
