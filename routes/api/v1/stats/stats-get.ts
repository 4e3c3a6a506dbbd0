import { recordOf } from '../../../../lib/paging/schema.ts'
import { getStats } from '../../../../lib/stats/get-stats.ts'
import { stats, statsQuery } from '../../../../lib/stats/schema.ts'
import type { Api } from '../api.ts'

export function statsGet(app: Api): void {
  app.route({
    method: 'GET',
    url: '/stats',
    schema: {
      operationId: 'stats_get',
      summary: 'Count e-mails',
      description: [
        'Counts the e-mails that the workspace received on the given days: all, unread, by status, by inbox and by',
        'day, in UTC; without arguments, of the last 30 days. At most 366 days at a time. Use it for how many;',
        'it names no e-mail, emails_list does.',
      ].join(' '),
      tags: ['stats'],
      querystring: statsQuery,
      response: { 200: recordOf(stats) },
    },
    config: {
      scopes: ['emails:read'],
      permission: 'emails:read',
      mcp: { resource: { uri: 'kobana://inbox/stats', name: 'stats', title: 'The last 30 days in numbers' } },
    },
    handler: async request => ({
      data: await request.transact(trx => getStats(trx, request.tenant, request.query)),
    }),
  })
}
