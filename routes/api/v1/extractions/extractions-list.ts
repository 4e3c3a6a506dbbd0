import { listExtractions } from '../../../../lib/extractions/list-extractions.ts'
import { extraction, extractionsQuery } from '../../../../lib/extractions/schema.ts'
import { pageOf } from '../../../../lib/paging/schema.ts'
import type { Api } from '../api.ts'

export function extractionsList(app: Api): void {
  app.route({
    method: 'GET',
    url: '/extractions',
    schema: {
      operationId: 'extractions_list',
      summary: 'List what was extracted from e-mails',
      description: [
        'Lists values that prove themselves, from all e-mails of the workspace, newest first: boletos, PIX',
        'codes, NF-e keys, CNPJs, CPFs, amounts, dates, links, one-time codes. Use it to find, say, boletos by',
        'due date, or every e-mail with a certain CNPJ; all given filters must hold. For all values of one',
        'e-mail, use extractions_get. A value that verifies is well-formed: it does not say that a debt is',
        'real or a link safe. While meta.next_cursor is not null there are more.',
      ].join(' '),
      tags: ['extractions'],
      querystring: extractionsQuery,
      response: { 200: pageOf(extraction) },
    },
    config: { scopes: ['emails:read'], permission: 'emails:read', mcp: true },
    handler: request => request.transact(trx => listExtractions(trx, request.tenant, request.query)),
  })
}
