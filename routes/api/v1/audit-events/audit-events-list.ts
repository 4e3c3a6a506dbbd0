import { listAuditEvents } from '../../../../lib/audit/list-audit-events.ts'
import { auditEvent, auditEventsQuery } from '../../../../lib/audit/schema.ts'
import { pageOf } from '../../../../lib/paging/schema.ts'
import type { Api } from '../api.ts'

export function auditEventsList(app: Api): void {
  app.route({
    method: 'GET',
    url: '/audit-events',
    schema: {
      operationId: 'audit_events_list',
      summary: 'List who did what',
      description: [
        'Lists what people, agents and the system did in the workspace, newest first: every change, every tool',
        'call, and what was refused, with who, through which client, on which record and how it ended. What was',
        'done to the organization as a whole is among it. It holds no contents of e-mails or requests, and no reads',
        'over REST. While meta.next_cursor is not null there are more.',
      ].join(' '),
      tags: ['audit events'],
      querystring: auditEventsQuery,
      response: { 200: pageOf(auditEvent) },
    },
    config: { scopes: ['audit:read'], permission: 'audit:read', mcp: true },
    handler: request => request.transact(trx => listAuditEvents(trx, request.tenant, request.query)),
  })
}
