import { Readable } from 'node:stream'
import { noQuery } from '../../../../lib/fields/no-query.ts'
import { prepareExport } from '../../../../lib/personal-data/prepare-export.ts'
import { subjectBody } from '../../../../lib/personal-data/schema.ts'
import { toSubject } from '../../../../lib/personal-data/subject.ts'
import { writeExport } from '../../../../lib/personal-data/write-export.ts'
import type { Api } from '../api.ts'

/** POST and not GET: addresses and CPFs do not belong into URLs, and who exports somebody's data is on record. */
export function dataExportsCreate(app: Api): void {
  app.route({
    method: 'POST',
    url: '/data-exports',
    schema: {
      operationId: 'data_exports_create',
      summary: 'Export what is held about somebody',
      description: [
        'Streams all that the workspace holds about an e-mail address (e-mails from and to it with their bytes,',
        'texts, attachments, extractions and events, settings that name it, and what its person did here), or',
        'about a CPF or CNPJ (e-mails that it was extracted from). One JSON object a line, the last of type end:',
        'without it the export is not whole. Deleted e-mails are in it until they are purged. It changes nothing.',
      ].join(' '),
      tags: ['personal data'],
      querystring: noQuery,
      body: subjectBody,
      produces: ['application/x-ndjson'],
    },
    // Everybody's mail, and the record of who did what, which only admins see.
    config: { scopes: ['emails:read', 'audit:read'], permission: 'audit:read', keepsAnswer: false },
    handler: async (request, reply) => {
      const { tenant } = request
      const subject = toSubject(request.body)
      const prepared = await request.transact(trx => prepareExport(trx, tenant, subject))
      reply.type('application/x-ndjson').header('content-disposition', 'attachment; filename="export.ndjson"')
      reply.header('x-content-type-options', 'nosniff').header('cache-control', 'no-store')
      return reply.send(Readable.from(writeExport(app.database, tenant, prepared), { objectMode: false }))
    },
  })
}
