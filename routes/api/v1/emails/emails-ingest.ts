import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { noQuery } from '../../../../lib/fields/no-query.ts'
import { createHeaders } from '../../../../lib/fields/request-headers.ts'
import { inboxPath } from '../../../../lib/inboxes/schema.ts'
import { ingestMessage } from '../../../../lib/mail/ingest-message.ts'
import { getOperation } from '../../../../lib/operations/repository.ts'
import { operation } from '../../../../lib/operations/schema.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import { problem } from '../../../../lib/problem/problem.ts'

/** A context of its own, in which a body is a raw message of up to `maxMessageBytes` and nothing else. */
export const emailsIngest: FastifyPluginAsyncZod = async app => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('message/rfc822', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )

  app.route({
    method: 'POST',
    url: '/inboxes/:id/emails',
    bodyLimit: app.config.maxMessageBytes,
    schema: {
      operationId: 'emails_ingest',
      summary: 'Put a message into an inbox',
      description: [
        'Takes a raw message as if it had arrived by SMTP: the body is the message itself, message/rfc822. Its',
        'bytes are kept before the answer, which is the operation that reads it. A message whose Message-ID the',
        'inbox has already is not stored again; the answer is the operation of the first. A paused inbox',
        'refuses it with conflict.',
      ].join(' '),
      tags: ['emails'],
      consumes: ['message/rfc822'],
      params: inboxPath,
      querystring: noQuery,
      headers: createHeaders,
      response: { 202: recordOf(operation) },
    },
    config: { scopes: ['emails:write'], permission: 'emails:write' },
    handler: async (request, reply) => {
      const { tenant, params, principal, body } = request
      const raw = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
      const data = await request.transact(async trx => {
        const message = { tenant, inboxId: params.id, raw, envelopeFrom: null, createdBy: principal.id }
        const { emailId, operationId } = await ingestMessage(trx, message)
        if (operationId === null) throw toKnown(emailId)
        return getOperation(trx, tenant, operationId)
      })
      reply.code(202).header('location', `${app.prefix}/operations/${data.id}`)
      return { data }
    },
  })
}

/** The operation of the first is gone, so that there is nothing to follow; the e-mail is there. */
function toKnown(emailId: string) {
  const detail = `This inbox has the message already, as ${emailId}. Reprocess that to have it read again.`
  return problem('conflict', detail, { extra: { email_id: emailId } })
}
