import { noQuery } from '../../../../lib/fields/no-query.ts'
import { getMe } from '../../../../lib/me/get-me.ts'
import { me } from '../../../../lib/me/schema.ts'
import { recordOf } from '../../../../lib/paging/schema.ts'
import type { Api } from '../api.ts'

export function meGet(app: Api): void {
  app.route({
    method: 'GET',
    url: '/me',
    schema: {
      operationId: 'me_get',
      summary: 'Get the caller',
      description: [
        'Tells who is calling: the person, their organization, the scopes of the access token, and every',
        'workspace they belong to with their role and permissions there. Use it first, to learn which',
        'workspaces there are, and after a refusal, to learn what is missing. It needs no workspace.',
      ].join(' '),
      tags: ['me'],
      querystring: noQuery,
      response: { 200: recordOf(me) },
    },
    config: {
      scopes: [],
      tenancy: 'organization',
      mcp: { resource: { uri: 'kobana://inbox/me', name: 'me', title: 'The caller' } },
    },
    handler: async request => ({ data: await request.transact(trx => getMe(trx, request.principal)) }),
  })
}
