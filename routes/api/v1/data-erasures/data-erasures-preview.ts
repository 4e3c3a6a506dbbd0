import { recordOf } from '../../../../lib/paging/schema.ts'
import { countSent } from '../../../../lib/personal-data/find-emails.ts'
import { erasurePreview, subjectQuery } from '../../../../lib/personal-data/schema.ts'
import { toSubject } from '../../../../lib/personal-data/subject.ts'
import type { Api } from '../api.ts'

export function dataErasuresPreview(app: Api): void {
  app.route({
    method: 'GET',
    url: '/data-erasures/preview',
    schema: {
      operationId: 'data_erasures_preview',
      summary: 'Count what an erasure would delete',
      description: [
        'Tells how many e-mails data_erasures_create would delete for good for the same address or document, and',
        'their size, at this moment. It deletes nothing and gives none of them; emails_list with from, or',
        'extractions_list with value, shows those that are not deleted already.',
      ].join(' '),
      tags: ['personal data'],
      querystring: subjectQuery,
      response: { 200: recordOf(erasurePreview) },
    },
    config: { scopes: ['emails:read'], permission: 'inboxes:write' },
    handler: async request => {
      const subject = toSubject(request.query)
      return { data: await request.transact(trx => countSent(trx, request.tenant, subject)) }
    },
  })
}
